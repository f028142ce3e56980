// Sheet to add a trip manually.

import { actionForm, h } from './dom.js';
import { choice, menu, momentField, textField } from './field.js';
import { openSheet, sheetHead } from './sheet.js';
import { toast } from './toast.js';
import { distance, lengthUnit, parseDistance } from './eventtext.js';
import { ask, newId, Refused, Unreachable } from '../data/api.js';
import { go } from '../data/navigation.js';
import { dateHere, startOf, today, zone } from '../data/days.js';
import { recordAction, places, refresh, vehiclesByName } from '../data/record.js';
import { texts } from '../texts.js';

/**
 * @param {string} month visible month, for example `2026-11`
 * @param {string} vehicle id of the selected vehicle, or empty
 */
export function openAddTrip(month, vehicle) {
  openSheet(texts.trips.add, (_, close) => {
    // Default to the last half hour or, in another month, to noon of its first day.
    const end = month === today().slice(0, 7) ? new Date() : new Date(startOf(`${month}-01`).getTime() + 43_200_000);
    const start = momentField(texts.form.when, new Date(end.getTime() - 1_800_000));
    const until = momentField(texts.form.until, end);
    const length = textField(texts.trips.distanceIn(lengthUnit()[0]), '', { inputmode: 'decimal', maxlength: 12 });
    const [from, to] = [
      menu(texts.trips.from, places(), texts.form.none),
      menu(texts.trips.to, places(), texts.form.none),
    ];
    const cars = vehiclesByName();
    const car = menu(texts.mileage.vehicle, cars, texts.form.none, cars.length === 1 ? cars[0].id : vehicle);
    const kind = choice(
      texts.trips.category,
      [
        ['', texts.trips.byRules],
        ['business', texts.trips.kinds.business],
        ['private', texts.trips.kinds.private],
        ['mixed', texts.trips.kinds.mixed],
      ],
      '',
    );
    const note = textField(texts.form.note, '', { maxlength: 4000 });
    const id = newId();
    const save = async () => {
      for (const one of [start, until, length, from]) one.wrong(null);
      const [begin, over] = [start.read(), until.read()];
      const metres = parseDistance(length.read());
      const stop = (/** @type {import('./field.js').Field} */ of, /** @type {string} */ text) => {
        of.wrong(text);
        of.input.focus();
      };
      if (Number.isNaN(begin.getTime())) return stop(start, texts.form.badTime);
      if (Number.isNaN(over.getTime())) return stop(until, texts.form.badTime);
      if (over <= begin) return stop(until, texts.form.endBefore);
      if (Number.isNaN(metres)) return stop(length, texts.form.badNumber);
      if (to.read() && !from.read()) return stop(from, texts.trips.needsStart);
      const at = (/** @type {Api.Geofence} */ place) =>
        place ? { latitude: place.latitude, longitude: place.longitude } : null;
      try {
        const event = await ask('POST', '/trips', {
          id,
          start: begin.toISOString(),
          end: over.toISOString(),
          distance_m: metres,
          time_zone: zone(),
          start_place: at(from.read()),
          end_place: at(to.read()),
          vehicle_id: car.read()?.id ?? null,
          category: kind.read() || null,
          notes: note.read() || null,
        });
        close();
        recordAction(texts.trips.added(distance(metres)), 'events', [{ before: null, after: event }]);
        toast(texts.trips.added(distance(metres)));
        go(`/trips/${encodeURIComponent(id)}?month=${dateHere(begin).slice(0, 7)}`);
        refresh();
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        stop(start, error instanceof Unreachable ? texts.trips.needsHub : error.message);
      }
    };
    queueMicrotask(() => start.input.focus());
    return actionForm(
      save,
      sheetHead(texts.trips.add, close),
      start.element,
      until.element,
      length.element,
      places().length > 0 && [from.element, to.element],
      cars.length > 0 && car.element,
      kind.element,
      note.element,
      h('footer', null, h('button.button.primary', { type: 'submit' }, texts.act.save)),
    );
  });
}
