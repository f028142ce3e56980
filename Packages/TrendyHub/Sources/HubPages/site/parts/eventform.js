// Sheet to create or edit an event. Its fields depend on the type's property definitions.

import { actionForm, fill, h } from './dom.js';
import { disc, glyph } from './glyph.js';
import { field, menu, numberText, occurrence, propertyField, textField, toggle } from './field.js';
import { openPlace } from './placesheet.js';
import { typeMenu } from './selection.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { asOneStep } from '../data/undo.js';
import {
  actionFor,
  change,
  changeTrip,
  create,
  definitions,
  end,
  isOwnType,
  remove,
  runningIds,
  search,
  typeOf,
  vehiclesByName,
} from '../data/record.js';
import { newId } from '../data/api.js';
import { orderedTypes } from '../data/tileorder.js';
import {
  dateOfAllDay,
  dayOfEvent,
  length,
  localText,
  longDate,
  momentOf,
  offsetOf,
  otherZone,
  startOf,
  time,
  today,
  zone,
  zoneOf,
} from '../data/days.js';
import { isTrip, lengthUnit, parseDistance, summary, titleOf, whenText } from './eventtext.js';
import { openType } from './typeform.js';
import { texts } from '../texts.js';

/**
 * Returns a type's default properties in wire format.
 * @param {string} typeId
 */
function defaults(typeId) {
  /** @type {Record<string, Api.Property>} */
  const properties = {};
  for (const definition of definitions(typeId)) {
    const value = definition.default_value;
    if (value === null || value === undefined) continue;
    properties[definition.key] = value?.type && 'value' in value ? value : { type: definition.property_type, value };
  }
  return properties;
}

/**
 * Returns a new event that starts now.
 * @param {string} typeId
 */
const fresh = (typeId) => ({
  id: newId(),
  event_type_id: typeId,
  timestamp: new Date().toISOString(),
  is_all_day: false,
  source_type: 'manual',
  time_zone: zone(),
  properties: defaults(typeId),
});

/**
 * Records an event by performing its type's action.
 * @param {Api.EventType} type
 * @param {Api.Event} [running] running event of the type
 */
export function recordNow(type, running) {
  const action = actionFor(type, Boolean(running));
  if (action === 'stop' && running) return stop(running);
  if (action === 'start') return start(type);
  return action === 'ask' ? openNew(type) : logNow(type);
}

/**
 * Returns the label of a button that calls `recordNow`.
 * @param {Api.EventType} type
 * @param {Api.Event} [running] running event of the type
 */
export function recordText(type, running) {
  const action = actionFor(type, Boolean(running));
  return action === 'stop'
    ? texts.act.stopType(type.name)
    : action === 'start'
      ? texts.act.startType(type.name)
      : texts.act.logType(type.name);
}

/** @param {Api.EventType} type */
async function logNow(type) {
  const event = fresh(type.id);
  const text = texts.toast.logged(type.name, time(new Date(event.timestamp)));
  await create('events', event, text);
  toast(text);
}

/**
 * @param {Api.EventType} type
 * @param {Api.Event} [event] event with the values known so far
 */
export async function start(type, event = fresh(type.id)) {
  await asOneStep(texts.toast.started(type.name), async () => {
    await create('events', event, '');
    // This setting lists running events for all of the user's devices.
    await create('settings', { id: newId(), key: 'running', value: event.id }, '');
  });
  toast(texts.toast.started(type.name));
}

/**
 * @param {Api.Event} event
 */
export async function stop(event) {
  const now = new Date();
  const type = typeOf(event.event_type_id);
  const text = texts.toast.stopped(type.name, length((now.getTime() - Date.parse(event.timestamp)) / 1000));
  const mark = runningIds().find((running) => running.id === event.id)?.mark;
  await asOneStep(text, async () => {
    await end(event, now.toISOString(), text);
    if (mark) await remove('settings', mark, text);
  });
  toast(text);
}

/** Number of types listed initially. Others can be found by name. */
const MOST_FOUND = 100;
/** Number of latest entries that determine the order of the types. */
const LATEST = 200;

/**
 * Latest entries, as last read for the list of types.
 * @type {() => Api.Event[]}
 */
let latest = () => [];

const readLatest = () =>
  search({ limit: LATEST }).then(
    ({ events }) => {
      latest = events;
    },
    // The list of types is usable without the latest entries.
    () => {},
  );

/**
 * Returns each type's number of uses and last entry. Uses within an hour of the current time of day count most.
 * @returns {Map<string, {uses: number, last: Api.Event}>}
 */
function usage() {
  const minutes = (/** @type {Date} */ moment, of = zone()) => {
    const [hour, minute] = localText(moment, of).slice(11).split(':').map(Number);
    return hour * 60 + minute;
  };
  const now = minutes(new Date());
  /** @type {Map<string, {uses: number, last: Api.Event}>} */
  const found = new Map();
  for (const event of latest()) {
    const away = Math.abs(minutes(new Date(event.timestamp), zoneOf(event)) - now);
    const isNow = !event.is_all_day && Math.min(away, 1440 - away) <= 60;
    const old = found.get(event.event_type_id);
    found.set(event.event_type_id, { uses: (old?.uses ?? 0) + (isNow ? LATEST : 1), last: old?.last ?? event });
  }
  return found;
}

/**
 * Opens the list of types to log, then a form.
 * @param {string} [date] day of the entry; by default today
 * @param {{from: string, to: string}} [span] start and end of the entry
 */
export function openLog(date, span) {
  openSheet(texts.form.what, (_, close) => {
    const input = /** @type {HTMLInputElement} */ (
      h('input.input', {
        type: 'search',
        placeholder: texts.form.searchTypes,
        'aria-label': texts.form.searchTypes,
        autocomplete: 'off',
      })
    );
    const box = h('div.pick');
    const item = (/** @type {Child[]} */ content, /** @type {() => void} */ act) =>
      h(
        'button',
        {
          type: 'button',
          on: {
            click: () => {
              close();
              act();
            },
          },
        },
        content,
      );
    // Determine the order only once, so no row moves while the user is about to tap it.
    let used = usage();
    const draw = () => {
      const name = input.value.trim();
      const text = name.toLowerCase();
      const starts = (/** @type {Api.EventType} */ type) => Number(type.name.toLowerCase().startsWith(text));
      const uses = (/** @type {Api.EventType} */ type) => used.get(type.id)?.uses ?? 0;
      const found = orderedTypes()
        .filter((type) => !isOwnType(type) && type.name.toLowerCase().includes(text))
        .sort((a, b) => starts(b) - starts(a) || uses(b) - uses(a));
      const isNew = text && !found.some((type) => type.name.toLowerCase() === text);
      fill(
        box,
        found.slice(0, MOST_FOUND).map((type) => {
          const last = used.get(type.id)?.last;
          return item(
            [
              disc(type, 28),
              h('span.name', null, type.name),
              last && h('span.quiet.cut', null, summary(last) || whenText(last)),
            ],
            () => openNew(type, date, span),
          );
        }),
        !isNew && !found.length && h('p.quiet', null, texts.today.noTypes),
        item([glyph('plus'), isNew ? texts.form.makeType(name) : texts.type.newType], () =>
          openType(null, isNew ? name : undefined),
        ),
      );
    };
    // Text in the search field does not count as an unsaved change.
    input.addEventListener('input', (event) => {
      event.stopPropagation();
      draw();
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') {
        event.preventDefault();
        /** @type {HTMLElement | null} */
        (box.querySelector('button'))?.click();
      }
      if (event.key === 'ArrowDown') {
        event.preventDefault();
        /** @type {HTMLElement | null} */
        (box.querySelector('button'))?.focus();
      }
    });
    box.addEventListener('keydown', (event) => {
      const step =
        event.key === 'ArrowDown' ? 'nextElementSibling' : event.key === 'ArrowUp' ? 'previousElementSibling' : null;
      if (!step) return;
      event.preventDefault();
      const other = /** @type {HTMLElement | null} */ (document.activeElement?.[step]);
      (other ?? input).focus();
    });
    const isKnown = used.size > 0;
    if (isKnown) draw();
    const late = new Promise((done) => setTimeout(done, 300));
    Promise.race([readLatest(), late]).then(() => {
      if (isKnown) return;
      used = usage();
      draw();
    });
    queueMicrotask(() => input.focus());
    return h('div.content', null, sheetHead(texts.form.what, close), input, box);
  });
}

/**
 * @param {Api.EventType} type
 * @param {string} [date] day of the entry; by default today
 * @param {{from: string, to: string}} [span] start and end of the entry
 */
export function openNew(type, date, span) {
  const event = fresh(type.id);
  // Use the current time of day on the given day.
  if (date && date !== today())
    event.timestamp = new Date(startOf(date).getTime() + Date.now() - startOf(today()).getTime()).toISOString();
  open(span ? { ...event, timestamp: span.from, end_date: span.to } : event, true);
}

/** @param {Api.Event} event */
export async function deleteEvent(event) {
  const title = titleOf(event);
  await remove('events', event, texts.toast.deleted);
  toast(texts.toast.deletedOne(title));
}

/** @param {Api.Event} event */
export const openEvent = (event) => open(event, false);

/**
 * @param {Api.Event} event
 * @param {boolean} isNew
 */
function open(event, isNew) {
  const type = typeOf(event.event_type_id);
  const title = isNew ? type.name : titleOf(event);
  openSheet(title, (sheet, close) => {
    const begin = moments(event);
    const isDrive = isTrip(event);
    // Routes cannot be edited here.
    const isHidden = (/** @type {string} */ key) => key === 'route' || (isDrive && OF_TRIPS.has(key));
    const fieldsOf = (/** @type {string} */ typeId, /** @type {Record<string, Api.Property>} */ values) => {
      const known = definitions(typeId);
      const others = Object.keys(values).filter(
        (key) => !isHidden(key) && !known.some((definition) => definition.key === key),
      );
      return [
        ...known.filter((definition) => !isHidden(definition.key)),
        ...others.map((key) => ({
          id: key,
          event_type_id: typeId,
          key,
          label: key,
          property_type: values[key].type,
          options: null,
        })),
      ].map((definition) => ({ definition, of: propertyField(definition, values[definition.key]) }));
    };
    let properties = [...(isDrive ? tripFields(event) : []), ...fieldsOf(type.id, event.properties ?? {})];
    const box = h(
      'div.contents',
      null,
      properties.map(({ of }) => of.element),
    );
    const kind = isNew || isOwnType(type) ? null : typeMenu(type.id);
    // The fields depend on the type. Entered values are kept.
    kind?.input.addEventListener('change', () => {
      const values = { ...event.properties };
      for (const { definition, of } of properties) {
        try {
          const value = of.read();
          if (value) values[definition.key] = value;
        } catch {
          /* An invalid value has to be entered again. */
        }
      }
      properties = fieldsOf(kind.read()?.id ?? type.id, values);
      fill(
        box,
        properties.map(({ of }) => of.element),
      );
    });
    const place = textField(texts.form.place, event.location_name ?? '', { maxlength: 1000 });
    const noteInput = /** @type {HTMLTextAreaElement} */ (h('textarea.input', { rows: 3, value: event.notes ?? '' }));
    const note = field(texts.form.note, noteInput, noteInput, () => noteInput.value.trim());
    /** Returns the form's values. If a field is invalid, focuses it and returns `undefined`. */
    const read = () => {
      /** @type {Api.Patch} */
      let values;
      try {
        values = {
          ...begin.read(),
          ...(kind ? { event_type_id: kind.read()?.id ?? type.id } : {}),
          notes: note.read() || null,
          location_name: place.read() || null,
          properties: {},
        };
      } catch (wrong) {
        return void wrong;
      }
      let first = null;
      for (const { definition, of } of properties) {
        of.wrong(null);
        try {
          values.properties[definition.key] = of.read();
        } catch (text) {
          of.wrong(String(text));
          first ??= of.input;
        }
      }
      if (first) return first.focus();
      return values;
    };
    /** @param {Api.Patch} values */
    const made = (values) => {
      /** @type {Api.Event & Api.Patch} */
      const all = {
        ...event,
        ...values,
        properties: Object.fromEntries(Object.entries(values.properties).filter(([, value]) => value !== null)),
      };
      for (const name of ['notes', 'location_name', 'end_date']) if (all[name] === null) delete all[name];
      return all;
    };
    const begun = async () => {
      const values = read();
      if (!values) return;
      // The event starts now unless the user has entered another time.
      if (values.timestamp === event.timestamp) values.timestamp = new Date().toISOString();
      await submit(sheet, close, () => start(type, made({ ...values, end_date: null, is_all_day: false })));
    };
    const save = async () => {
      const values = read();
      if (!values) return;
      await submit(sheet, close, async () => {
        if (isNew) {
          const whole = made(values);
          const text = texts.toast.logged(
            type.name,
            values.is_all_day ? longDate(dayOfEvent(whole)) : time(new Date(values.timestamp)),
          );
          await create('events', whole, text);
          toast(text);
        } else {
          const patch = differences(event, values);
          if (Object.keys(patch).length === 0) return;
          await (isDrive ? changeTrip(event, patch) : change('events', event, patch, texts.toast.saved));
          toast(texts.toast.saved);
        }
      });
    };
    const form = actionForm(
      save,
      sheetHead(title, close, disc(type, 32)),
      begin.element,
      box,
      note.element,
      place.element,
      kind?.element,
      !isNew && !isDrive && placeButton(event),
      otherZone(event) &&
        h(
          'p.small.quiet',
          null,
          texts.form.recordedIn(otherZone(event), time(new Date(event.timestamp), otherZone(event))),
        ),
      !isNew &&
        h('p.small.quiet', null, texts.sources[/** @type {'manual'} */ (event.source_type)] ?? event.source_type),
      h(
        'footer',
        null,
        h('button.button.primary', { type: 'submit' }, isNew ? texts.act.log : texts.act.save),
        isNew && h('button.button', { type: 'button', on: { click: begun } }, glyph('play', '.s16'), texts.act.start),
        h('span.space'),
        !isNew &&
          h(
            'button.button.plain.red',
            { type: 'button', on: { click: () => submit(sheet, close, () => deleteEvent(event)) } },
            texts.act.delete,
          ),
      ),
    );
    queueMicrotask(() => (properties[0]?.of.input ?? noteInput).focus());
    return form;
  });
}

/**
 * Returns a button that creates a place at an event's position, unless the event is already in a place.
 * @param {Api.Event} event
 */
function placeButton(event) {
  const position = [Number(event.location_latitude ?? NaN), Number(event.location_longitude ?? NaN)];
  if (event.geofence_id || position.some(Number.isNaN)) return null;
  const add = () => openPlace(null, { position, name: event.location_name ?? '', onDone: () => box.remove() });
  const box = h(
    'div',
    null,
    h('button.button', { type: 'button', on: { click: add } }, glyph('pin', '.s16'), texts.places.fromEntry),
  );
  return box;
}

/** Properties of trips that are measured, derived, or edited in a separate field. */
const OF_TRIPS = new Set([
  'distance',
  'duration',
  'average_speed',
  'top_speed',
  'device',
  'fixes',
  'vehicle',
  'car',
  'rule',
  'business_distance',
]);

/**
 * Returns the fields for a trip's distance and vehicle.
 * @param {Api.Event} event
 */
function tripFields(event) {
  const { distance, vehicle } = event.properties ?? {};
  const [unit, metres] = lengthUnit();
  const text = distance ? numberText(Math.round((distance.value / metres) * 10) / 10) : '';
  const far = textField(texts.trips.distanceIn(unit), text, { inputmode: 'decimal', maxlength: 12 });
  const readFar = () => {
    // If the field is unchanged, keep the exact distance.
    if (far.input.value === text) return distance ?? null;
    const value = parseDistance(far.input.value ?? '');
    if (Number.isNaN(value)) throw texts.form.badNumber;
    return { type: 'number', value };
  };
  const cars = vehiclesByName();
  const which = menu(texts.mileage.vehicle, cars, texts.form.none, vehicle?.value);
  const before = which.input.value;
  const readWhich = () => {
    if (which.input.value === before) return vehicle ?? null;
    const chosen = which.read();
    return chosen && { type: 'text', value: chosen.id };
  };
  which.element.hidden = !cars.length;
  return [
    { definition: { key: 'distance' }, of: { ...far, read: readFar } },
    { definition: { key: 'vehicle' }, of: { ...which, read: readWhich } },
  ];
}

/**
 * Returns the form values that have changed, as a merge patch.
 * @param {Api.Event} event
 * @param {Api.Patch} values
 */
function differences(event, values) {
  /** @type {Api.Patch} */
  const patch = {};
  for (const [name, value] of Object.entries(values)) {
    if (name === 'properties') continue;
    const old = /** @type {Api.Entity} */ (event)[name] ?? (name === 'is_all_day' ? false : null);
    const isSame =
      old === value ||
      ((name === 'timestamp' || name === 'end_date') && old && value && Date.parse(old) === Date.parse(value));
    if (!isSame) patch[name] = value;
  }
  for (const [key, value] of Object.entries(values.properties)) {
    const old = event.properties?.[key] ?? null;
    if (JSON.stringify(old?.value ?? null) === JSON.stringify(value?.value ?? null)) continue;
    (patch.properties ??= {})[key] = value;
  }
  return patch;
}

/**
 * @param {Api.Event} event
 */
function moments(event) {
  const startMoment = new Date(event.timestamp);
  const endMoment = event.end_date ? new Date(event.end_date) : null;
  const when = /** @type {HTMLInputElement} */ (h('input.input', { type: 'datetime-local' }));
  const until = /** @type {HTMLInputElement} */ (h('input.input', { type: 'datetime-local' }));
  const whenChoice = occurrence(when, startMoment);
  const untilChoice = occurrence(until, endMoment);
  const whenField = field(texts.form.when, h('div', null, when, whenChoice.element), when, () => when.value);
  const untilField = field(texts.form.until, h('div', null, until, untilChoice.element), until, () => until.value);
  const allDay = toggle(texts.form.allDay, Boolean(event.is_all_day), '', draw);
  // An all-day event shows the date in the time zone where it was recorded.
  const shownAs = (/** @type {Date} */ moment) =>
    event.is_all_day ? `${dateOfAllDay(moment, event)}T00:00` : localText(moment);
  /** @param {boolean} isAllDay */
  function draw(isAllDay) {
    for (const [input, moment] of /** @type {[HTMLInputElement, Date | null][]} */ ([
      [when, startMoment],
      [until, endMoment],
    ])) {
      const old = input.value;
      input.type = isAllDay ? 'date' : 'datetime-local';
      const text = moment ? shownAs(moment) : '';
      input.value = old
        ? isAllDay
          ? old.slice(0, 10)
          : old.length === 10
            ? `${old}T${(text || localText(new Date())).slice(11)}`
            : old
        : isAllDay
          ? text.slice(0, 10)
          : text;
    }
    whenChoice.draw();
    untilChoice.draw();
  }
  draw(Boolean(event.is_all_day));
  const more = h(
    'button.button.plain',
    {
      type: 'button',
      on: {
        click: () => {
          untilField.element.hidden = false;
          more.remove();
          until.focus();
        },
      },
    },
    texts.form.addEnd,
  );
  untilField.element.hidden = !endMoment;
  return {
    element: h(
      'div',
      { class: 'field' },
      whenField.element,
      untilField.element,
      h('div.pair', null, allDay.element, !endMoment && more),
    ),
    read() {
      whenField.wrong(null);
      untilField.wrong(null);
      const isAllDay = allDay.read();
      const read = (
        /** @type {HTMLInputElement} */ input,
        /** @type {Date | null} */ old,
        /** @type {ReturnType<typeof occurrence>} */ choice,
      ) => {
        if (!input.value) return null;
        // If the field is unchanged, keep the exact seconds.
        const isSame =
          old && Boolean(event.is_all_day) === isAllDay && input.value === shownAs(old).slice(0, input.value.length);
        if (isSame && (!choice.offset() || choice.offset() === offsetOf(old))) return old.toISOString();
        const date = isAllDay ? momentOf(input.value, zoneOf(event)) : choice.read();
        return Number.isNaN(date.getTime()) ? null : date.toISOString();
      };
      const timestamp = read(when, startMoment, whenChoice);
      if (!timestamp) {
        whenField.wrong(texts.form.badTime);
        when.focus();
        throw texts.form.badTime;
      }
      const end = read(until, endMoment, untilChoice);
      if (end && Date.parse(end) < Date.parse(timestamp)) {
        untilField.wrong(texts.form.endBefore);
        until.focus();
        throw texts.form.endBefore;
      }
      return { timestamp, end_date: end, is_all_day: isAllDay };
    },
  };
}
