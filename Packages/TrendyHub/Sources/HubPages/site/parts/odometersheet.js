// Sheet to log an odometer reading.

import { actionForm, h } from './dom.js';
import { field, momentField } from './field.js';
import { openSheet, sheetHead } from './sheet.js';
import { toast } from './toast.js';
import { distance, lengthUnit } from './eventtext.js';
import { ask, newId, Refused, Unreachable } from '../data/api.js';
import { recordAction, refresh, vehiclesByName } from '../data/record.js';
import { zone } from '../data/days.js';
import { texts } from '../texts.js';

/** @param {string} chosen id of a vehicle, or empty */
export function openOdometer(chosen) {
  openSheet(texts.mileage.logReading, (_, close) => {
    const [unit, metres] = lengthUnit();
    const list = vehiclesByName();
    const which = /** @type {HTMLSelectElement} */ (
      h(
        'select.input',
        null,
        list.map((one) => h('option', { value: one.id, selected: one.id === chosen }, one.name)),
      )
    );
    const vehicle = field(texts.mileage.vehicle, which, which, () => which.value);
    const amount = /** @type {HTMLInputElement} */ (
      h('input.input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', maxlength: 20 })
    );
    const reading = field(texts.mileage.reading(unit), amount, amount, () => {
      // Odometers have no decimals, so every separator separates thousands and is removed.
      const number = Number(
        amount.value
          .trim()
          .replace(/[\s\u00a0\u202f'.,](?=\d{3}(\D|$))/g, '')
          .replace(',', '.'),
      );
      return amount.value.trim() && number >= 0 && number * metres <= 1e10 ? number * metres : null;
    });
    const at = momentField(texts.form.when, new Date());
    const id = newId();
    const save = async () => {
      const [value, date] = [reading.read(), at.read()];
      reading.wrong(value === null ? texts.form.badNumber : null);
      at.wrong(Number.isNaN(date.getTime()) ? texts.form.badTime : null);
      if (value === null) return reading.input.focus();
      if (Number.isNaN(date.getTime())) return at.input.focus();
      try {
        const event = await ask('POST', `/vehicles/${encodeURIComponent(vehicle.read())}/odometer`, {
          id,
          odometer_m: Math.round(value),
          at: date.toISOString(),
          time_zone: zone(),
        });
        close();
        recordAction(texts.mileage.logReading, 'events', [{ before: null, after: event }]);
        refresh();
        toast(texts.mileage.logged(list.find((one) => one.id === vehicle.read())?.name ?? '', distance(value)));
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        reading.wrong(error instanceof Unreachable ? texts.trips.needsHub : error.message);
      }
    };
    queueMicrotask(() => amount.focus());
    return actionForm(
      save,
      sheetHead(texts.mileage.logReading, close),
      list.length > 1 && vehicle.element,
      reading.element,
      at.element,
      h('footer', null, h('button.button.primary', { type: 'submit' }, texts.act.save)),
    );
  });
}
