// Sheet to create or edit a place. The position is set by pressing on the map or from the browser's location.

import { actionForm, h } from './dom.js';
import { glyph } from './glyph.js';
import { menu, parseNumber, textField, toggle } from './field.js';
import { routeMap } from './routemap.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { newId } from '../data/api.js';
import { change, create, places, remove, types } from '../data/record.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @param {Api.Geofence | null} place `null` for a new one
 * @param {{position?: number[] | null, name?: string, isHere?: boolean, onDone?: (id: string | null) => void}} [given]
 *   `position` and `name` belong to a new place. `isHere` requests the location. `onDone` receives the id of the
 *   place, or `null` after a deletion
 */
export function openPlace(place, given = {}) {
  const { position = null, name: called = '', isHere = false, onDone = () => {} } = given;
  const title = place ? place.name : texts.places.newPlace;
  /** The place as displayed on the sheet's map. */
  const draft = /** @type {Api.Geofence} */ ({
    id: newId(),
    name: called,
    radius: 100,
    latitude: position?.[0] ?? NaN,
    longitude: position?.[1] ?? NaN,
    ...place,
  });
  openSheet(title, (sheet, close) => {
    const name = textField(texts.type.name, draft.name, { maxlength: 200 });
    const drawn = { fitted() {} };
    const number = (
      /** @type {string} */ label,
      /** @type {'latitude' | 'longitude' | 'radius'} */ member,
      /** @type {number} */ least,
      /** @type {number} */ most,
      /** @type {string} */ wrong,
    ) => {
      const text = Number.isFinite(draft[member]) ? String(draft[member]) : '';
      const of = textField(label, text, { inputmode: 'decimal' });
      const value = () => parseNumber(of.read(), member === 'radius');
      of.input.addEventListener('input', () => {
        draft[member] = value();
        drawn.fitted();
      });
      return {
        ...of,
        read: () => {
          const n = value();
          if (!(n >= least && n <= most)) throw wrong;
          return n;
        },
      };
    };
    const latitude = number(texts.places.latitude, 'latitude', -90, 90, texts.places.badLatitude);
    const longitude = number(texts.places.longitude, 'longitude', -180, 180, texts.places.badLongitude);
    const radius = number(texts.places.radius(texts.units.metres), 'radius', 50, 10_000, texts.places.badRadius);
    const active = toggle(texts.places.active, place?.is_active !== false);
    const kind = menu(texts.places.record, types(), texts.form.none, place?.event_type_entry_id ?? '');
    const note = h('p.hint', { role: 'status' }, texts.places.pickHint);
    const tell = (/** @type {string} */ text, isWrong = false) => {
      note.className = isWrong ? 'wrong' : 'hint';
      note.textContent = text;
    };
    const move = (/** @type {number[]} */ at) => {
      [draft.latitude, draft.longitude] = at.map((degrees) => Math.round(degrees * 1e6) / 1e6);
      latitude.input.value = String(draft.latitude);
      longitude.input.value = String(draft.longitude);
      sheet.isChanged = true;
      tell(texts.places.pickHint);
    };
    const map = routeMap({
      label: texts.places.pickMap,
      places: [...places().filter((other) => other.id !== draft.id), draft],
      chosen: draft.id,
      picker: {
        isTap: true,
        onPick: move,
        attach: (fitted) => {
          drawn.fitted = fitted;
        },
      },
    });
    const locate = () => {
      // The hub permits this only in this page's document. Browsers that lack the check ignore the permission.
      if (document.featurePolicy?.allowsFeature('geolocation') === false) {
        if (isHere) return tell(texts.places.noLocation, true);
        sheet.isChanged = false;
        return location.assign(`/places/${place?.id ?? ''}?here=${encodeURIComponent(name.read())}`);
      }
      tell(texts.places.locating);
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          move([coords.latitude, coords.longitude]);
          drawn.fitted();
          tell(texts.places.accurate(`${count(Math.ceil(coords.accuracy))} ${texts.units.metres}`));
        },
        (error) => tell(error.code === 1 ? texts.places.denied : texts.places.noLocation, true),
        { enableHighAccuracy: true, timeout: 20_000 },
      );
    };
    const coordinates = /** @type {HTMLDetailsElement} */ (
      h(
        'details',
        null,
        h('summary', null, texts.places.coordinates),
        h('div.pair', null, latitude.element, longitude.element),
      )
    );
    const spot = h(
      'div.field',
      null,
      h('span.label', { 'aria-hidden': 'true' }, texts.places.position),
      map,
      note,
      // Browsers share the location only with secure origins.
      isSecureContext &&
        h(
          'div',
          null,
          h('button.button', { type: 'button', on: { click: locate } }, glyph('pin', '.s16'), texts.places.useLocation),
        ),
      coordinates,
    );
    const fields = { name, latitude, longitude, radius };
    const save = async () => {
      /** @type {Api.Patch} */
      const values = { is_active: active.read(), event_type_entry_id: kind.read()?.id ?? null };
      let first = null;
      for (const [key, of] of Object.entries(fields)) {
        of.wrong(null);
        try {
          values[key] = of.read();
          if (values[key] === '') throw texts.form.required;
        } catch (text) {
          of.wrong(String(text));
          first ??= of.input;
        }
      }
      if (first && first === latitude.input && !latitude.input.value && !longitude.input.value) {
        tell(texts.places.noPosition, true);
        for (const of of [latitude, longitude]) of.wrong(null);
        return /** @type {HTMLElement} */ (map.querySelector('.ground')).focus();
      }
      if (first) {
        coordinates.open ||= coordinates.contains(first);
        return first.focus();
      }
      await submit(sheet, close, () => store(values));
    };
    const store = async (/** @type {Api.Patch} */ values) => {
      if (place) {
        const before = /** @type {Api.Entity} */ (place);
        const patch = Object.fromEntries(
          Object.entries(values).filter(
            ([key, value]) => (before[key] ?? (key === 'is_active' ? true : null)) !== value,
          ),
        );
        if (!Object.keys(patch).length) return;
        await change('geofences', place, patch, texts.toast.saved);
      } else {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
        await create('geofences', { id: draft.id, ...given }, texts.toast.saved);
      }
      toast(texts.toast.saved);
      onDone(draft.id);
    };
    const erase = async () => {
      if (!place) return;
      await remove('geofences', place, texts.toast.deleted);
      close();
      toast(texts.toast.deletedOne(place.name));
      onDone(null);
    };
    queueMicrotask(() => (isHere ? locate() : name.input.focus()));
    return actionForm(
      save,
      sheetHead(title, close),
      name.element,
      spot,
      radius.element,
      kind.element,
      active.element,
      h(
        'footer',
        null,
        h('button.button.primary', { type: 'submit' }, texts.act.save),
        h('span.space'),
        place && h('button.button.plain.red', { type: 'button', on: { click: erase } }, texts.act.delete),
      ),
    );
  });
}
