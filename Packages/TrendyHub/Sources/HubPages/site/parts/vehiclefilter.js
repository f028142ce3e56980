import { h } from './dom.js';
import { go, withQuery } from '../data/navigation.js';
import { vehicles } from '../data/record.js';
import { texts } from '../texts.js';

/**
 * Of which vehicle a page tells, as its address says; nothing where there is none to choose.
 * @param {string} chosen its id, or nothing
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
