import { h } from './dom.js';
import { go, withQuery } from '../data/navigation.js';
import { vehicles } from '../data/record.js';
import { texts } from '../texts.js';

/**
 * Returns a menu that filters a page by vehicle, or `null` if the user has no vehicles.
 * @param {string} chosen id of the selected vehicle, or empty
 */
export function vehicleFilter(chosen) {
  const list = vehicles();
  if (!list.length) return null;
  const select = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      { 'aria-label': texts.mileage.vehicle, dataset: { key: 'vehicle' } },
      h('option', { value: '' }, texts.mileage.allVehicles),
      list.map((one) => h('option', { value: one.id, selected: one.id === chosen }, one.name)),
    )
  );
  select.addEventListener('change', () => go(withQuery({ vehicle: select.value }), true));
  return h('div.tools-row.no-print', null, h('div.vehicle', null, select));
}
