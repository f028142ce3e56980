// A trip that nothing recorded, as the person tells of it.

import { h } from './dom.js';
import { choice, menu, momentField, textField } from './field.js';
import { openSheet, sheetHead } from './sheet.js';
import { toast } from './toast.js';
import { distance, lengthUnit, readDistance } from './eventtext.js';
import { ask, newId, Refused, Unreachable } from '../data/api.js';
import { go } from '../data/navigation.js';
import { dateHere, startOf, today, zone } from '../data/days.js';
import { noteAct, places, refresh, vehiclesByName } from '../data/record.js';
import { words } from '../texts.js';

const said = words.trips;

/**
 * @param {string} month that is shown, `2026-11`
 * @param {string} vehicle the id of the one that is shown, or nothing
 */
export function openAddTrip(month, vehicle) {
  openSheet(said.add, (_, close) => {
    // Half an hour that is over; in another month its first day.
    const end = month === today().slice(0, 7) ? new Date() : new Date(startOf(`${month}-01`).getTime() + 43_200_000);
    const start = momentField(words.form.when, new Date(end.getTime() - 1_800_000));
    const until = momentField(words.form.until, end);
    const length = textField(said.lengthIn(lengthUnit()[0]), '', { inputmode: 'decimal', maxlength: 12 });
    const [from, to] = [menu(said.from, places(), words.form.optional), menu(said.to, places(), words.form.optional)];
    const cars = vehiclesByName();
    const car = menu(words.mileage.vehicle, cars, words.form.optional, cars.length === 1 ? cars[0].id : vehicle);
    const kind = choice(
      said.kind,
      [
        ['', said.byRules],
        ['business', said.business],
        ['private', said.private],
        ['mixed', said.mixed],
      ],
      '',
    );
    const note = textField(words.form.note, '', { maxlength: 4000 });
    const id = newId();
    const save = async () => {
      for (const one of [start, until, length, from]) one.wrong(null);
      const [begin, over] = [start.read(), until.read()];
      const metres = readDistance(length.read());
      const stop = (/** @type {import('./field.js').Field} */ of, /** @type {string} */ text) => {
        of.wrong(text);
        of.input.focus();
      };
      if (Number.isNaN(begin.getTime())) return stop(start, words.form.badTime);
      if (Number.isNaN(over.getTime())) return stop(until, words.form.badTime);
      if (over <= begin) return stop(until, words.form.endBefore);
      if (Number.isNaN(metres)) return stop(length, words.form.badNumber);
      if (to.read() && !from.read()) return stop(from, said.needsStart);
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
        noteAct(said.added(distance(metres)), 'events', [{ before: null, after: event }]);
        toast(said.added(distance(metres)));
        go(`/trips/${encodeURIComponent(id)}?month=${dateHere(begin).slice(0, 7)}`);
        refresh();
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        stop(start, error instanceof Unreachable ? said.needsHub : error.message);
      }
    };
    queueMicrotask(() => start.input.focus());
    return h(
      'form',
      {
        novalidate: true,
        on: {
          submit: (/** @type {Event} */ e) => {
            e.preventDefault();
            return save();
          },
        },
      },
      sheetHead(said.add, close),
      start.element,
      until.element,
      length.element,
      places().length > 0 && [from.element, to.element],
      cars.length > 0 && car.element,
      kind.element,
      note.element,
      h('footer', null, h('button.button.primary', { type: 'submit' }, words.act.save)),
    );
  });
}
