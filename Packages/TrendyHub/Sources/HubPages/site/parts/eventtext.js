import { amountText, withoutUnit } from './amount.js';
import { parseNumber } from './field.js';
import { definitions, places, settings, summaryOf, typeOf } from '../data/record.js';
import {
  addDays,
  clock,
  dateHere,
  dayOfEvent,
  isDate,
  lastDayOf,
  length,
  nearDate,
  nearTime,
  startOf,
  time,
  today,
  zoneOf,
} from '../data/days.js';
import { count, decimal, fixed } from '../locale.js';
import { texts } from '../texts.js';

/**
 * Formats a distance in the user's unit, such as `18.3 km`.
 * @param {number} metres
 */
export function distance(metres) {
  const imperial = settings().units === 'imperial';
  const value = metres / (imperial ? 1609.344 : 1000);
  return `${fixed(value, value < 100 ? 1 : 0)} ${imperial ? texts.units.miles : texts.units.kilometres}`;
}

/**
 * Formats a speed in the user's unit, such as `31 km/h`.
 * @param {number} speed in metres per second
 */
export function speed(speed) {
  const imperial = settings().units === 'imperial';
  const { milesPerHour, kilometresPerHour } = texts.units;
  return `${count(Math.round(speed * (imperial ? 2.236936 : 3.6)))} ${imperial ? milesPerHour : kilometresPerHour}`;
}

/**
 * Parses a distance in the user's unit. Returns metres, or NaN if it is invalid or longer than twice around the Earth.
 * @param {string} text distance in the user's unit
 */
export function parseDistance(text) {
  const metres = parseNumber(text) * lengthUnit()[1];
  return metres >= 0 && metres <= 8e7 ? Math.round(metres) : NaN;
}

/**
 * Formats a property's value.
 * @param {Api.Property | null | undefined} property
 * @param {string} [label]
 * @param {string} [known] name that the reader already sees
 */
export function valueText(property, label = '', known = '') {
  if (!property || property.value === null || property.value === undefined) return '';
  const { type, value } = property;
  switch (type) {
    case 'number':
      return typeof value === 'number' ? amountText(value, label, known) : String(value);
    case 'duration':
      return typeof value === 'number' ? length(value) : String(value);
    case 'boolean':
      return value ? label || texts.form.yes : '';
    case 'date': {
      const moment = new Date(value);
      if (isDate(value)) return nearDate(value);
      return Number.isNaN(moment.getTime()) ? String(value) : texts.dates.at(nearDate(dateHere(moment)), time(moment));
    }
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** Properties that are internal or shown elsewhere in a row. */
const UNSAID = new Set([
  'route',
  'vehicle',
  'odometer_m',
  'Entered At',
  'Exited At',
  'rule',
  'average_speed',
  'top_speed',
  'device',
  'fixes',
  'business_distance',
  'car',
]);

/**
 * Returns an event's values as text, in the order of their definitions.
 * @param {Api.Event} event
 */
export function summary(event) {
  if (isTrip(event)) return tripParts(event).join(', ');
  const known = definitions(event.event_type_id);
  const properties = event.properties ?? {};
  const keys = [
    ...known.map((definition) => definition.key),
    ...Object.keys(properties).filter((key) => !known.some((other) => other.key === key)),
  ];
  const told = keys.filter((key) => !UNSAID.has(key) && !(key === 'Duration' && event.end_date));
  const said = told
    .map((key) =>
      valueText(
        properties[key],
        unitOf(
          known.find((other) => other.key === key),
          key,
        ),
        typeOf(event.event_type_id).name,
      ),
    )
    .filter(Boolean);
  if (typeof properties.odometer_m?.value === 'number') said.unshift(distance(properties.odometer_m.value));
  if (event.end_date && !event.is_all_day && !told.some((key) => properties[key]?.type === 'duration'))
    said.unshift(span(event));
  return said.join(', ');
}

/**
 * Returns a trip's distance, duration and category.
 * @param {Api.Event} event a trip
 * @returns {string[]}
 */
export const tripParts = (event) =>
  [distance(event.properties?.distance?.value ?? 0), span(event), event.properties?.category?.value].filter(Boolean);

/**
 * Returns the label to show with a value. Only short labels such as `cups` are shown.
 * @param {Api.PropertyDefinition | undefined} definition
 * @param {string} key
 */
function unitOf(definition, key) {
  if (definition?.options?.length) return '';
  const label = definition?.label ?? key;
  return withoutUnit(label)[0].length <= 14 ? label : '';
}

/**
 * @param {Api.Event} event
 * @returns {event is Api.Trip}
 */
export const isTrip = (event) => event.source_type === 'trip' && Boolean(event.end_date);
/** @param {Api.Event} event */
export const isVisit = (event) => event.source_type === 'geofence' && Boolean(event.geofence_id || event.location_name);
/** @param {Api.Event} event */
const span = (event) => length((Date.parse(event.end_date ?? '') - Date.parse(event.timestamp)) / 1000);

/**
 * Returns the duration of a completed visit as text.
 * @param {Api.Event} event
 */
export const stayText = (event) => (isVisit(event) && event.end_date ? span(event) : '');

/**
 * Returns an event's title: the name of its type, the place of a visit, or both ends of a trip.
 * @param {Api.Event} event
 */
export function titleOf(event) {
  if (isTrip(event)) {
    const [from, to] = endsOf(event);
    return from || to
      ? texts.timeline.route(from || texts.timeline.unknownPlace, to || texts.timeline.unknownPlace)
      : texts.timeline.trip;
  }
  if (isVisit(event))
    return (
      event.location_name ||
      places().find((place) => place.id === event.geofence_id)?.name ||
      typeOf(event.event_type_id).name
    );
  return typeOf(event.event_type_id).name;
}

/**
 * Returns the unit for distances and its length in metres.
 * @returns {[string, number]}
 */
export const lengthUnit = () =>
  settings().units === 'imperial' ? [texts.units.miles, 1609.344] : [texts.units.kilometres, 1000];

/**
 * Returns the names of the places at both ends of a trip, which are empty if unknown.
 * @param {Api.Event} trip
 * @returns {[string, string]}
 */
export const endsOf = (trip) =>
  /** @type {[string, string]} */ (placesAtEnds(trip).map(({ place }) => place?.name ?? ''));

/**
 * Returns the positions and places at both ends of a trip, as determined by the hub.
 * @param {Api.Event} trip
 * @returns {{position: number[] | null, place: Api.Geofence | null}[]}
 */
export function placesAtEnds(trip) {
  const { start_place: start, end_place: end } = summaryOf(trip) ?? {};
  return [start, end].map((at) => ({
    position: at ? [at.latitude, at.longitude] : null,
    place: (at && places().find((place) => place.id === at.geofence_id)) ?? null,
  }));
}

/** @type {Map<string, number[][]>} */
const routes = new Map();

/**
 * Decodes a polyline with a precision of five decimals.
 * @param {unknown} text
 * @returns {number[][]} latitudes and longitudes, or an empty array if the text is invalid
 */
export function decodeRoute(text) {
  if (typeof text !== 'string' || !text) return [];
  const known = routes.get(text);
  if (known) return known;
  const result = [];
  let [i, latitude, longitude] = [0, 0, 0];
  const next = () => {
    let [value, shift] = [0, 0];
    for (;;) {
      const digit = text.charCodeAt(i++) - 63;
      if (!(digit >= 0 && digit < 64) || shift > 30) return NaN;
      value |= (digit & 31) << shift;
      shift += 5;
      if (digit < 32) return value & 1 ? ~(value >> 1) : value >> 1;
    }
  };
  while (i < text.length) {
    latitude += next();
    longitude += next();
    if (Number.isNaN(latitude) || Number.isNaN(longitude)) return [];
    result.push([latitude / 1e5, longitude / 1e5]);
  }
  if (routes.size > 500) routes.clear();
  routes.set(text, result);
  return result;
}

/**
 * Formats an event's time for a list.
 * @param {Api.Event} event
 * @param {string} [day] day of the list
 */
export function timeText(event, day) {
  if (event.is_all_day) return texts.timeline.allDay;
  const moment = new Date(event.timestamp);
  // The event began before this day.
  if (day && dayOfEvent(event) < day)
    return time(
      isVisit(event) || !event.end_date || lastDayOf(event) > day ? startOf(day) : new Date(event.end_date),
      zoneOf(event),
    );
  return time(moment, zoneOf(event));
}

/**
 * Formats an event's time as `08:31`, `yesterday 22:10` or `last Wednesday`.
 * @param {Api.Event} event
 */
export function whenText(event) {
  const day = dayOfEvent(event);
  return !event.is_all_day && day >= addDays(today(), -1) && day <= today()
    ? nearTime(new Date(event.timestamp))
    : nearDate(day);
}

/**
 * Formats a running event's elapsed time, such as `1:38`.
 * @param {Api.Event} event
 */
export const runningText = (event) => clock((Date.now() - Date.parse(event.timestamp)) / 1000);

/**
 * Formats a number of bytes, such as `3.2 MB`.
 * @param {number} n
 */
export function bytes(n) {
  const { GB, MB, kB, B } = texts.units.bytes;
  const [unit, size] = n >= 1e9 ? [GB, 1e9] : n >= 1e6 ? [MB, 1e6] : n >= 1e3 ? [kB, 1e3] : [B, 1];
  return `${decimal(n / size, size > 1e3 ? 1 : 0)} ${unit}`;
}
