// Days of a person: dates as text, `2026-11-19`, in the time zone that they chose, else in this browser's, beginning
// when their days begin. Nothing else reads a clock's hours of a moment: the methods of `Date` know this browser's zone
// alone.

import { locale } from '../locale.js';
import { texts } from '../texts.js';

/** Seconds after midnight at which a day begins. */
let dayStart = 0;
/** 0 is Sunday. */
let firstWeekday = 1;
/** `12`, `24`, or nothing for as the locale says. */
let hours = '';

/** The zone that the person chose; empty for this browser's. */
let chosenZone = '';

/** @param {Api.Patch} settings by key */
export function useSettings(settings) {
  // One that this browser does not know is none to it, and none that it asks the hub with.
  chosenZone = clockOf(String(settings.time_zone ?? '')) ? settings.time_zone : '';
  const clock = /^(\d{1,2}):(\d{2})/.exec(settings.day_starts_at ?? '');
  dayStart = clock ? Number(clock[1]) * 3600 + Number(clock[2]) * 60 : 0;
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  firstWeekday = Math.max(0, names.indexOf(settings.week_starts_on ?? 'monday'));
  hours = String(settings.hours ?? '');
  formats.clear();
}

/** This browser's zone. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
/** The zone of all days and times here, with which the hub is asked. */
export const zone = () => chosenZone || browserZone();
export const dayStartSeconds = () => dayStart;

/**
 * Path of a request whose response depends on the bounds of days.
 * @template {string} Path
 * @param {Path} path
 * @param {Record<string, string | number>} [more] parameters of its own
 * @returns {`${Path}?${string}`}
 */
export function withDays(path, more = {}) {
  const query = new URLSearchParams({ zone: zone(), day_start: String(dayStart) });
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return `${path}?${query}`;
}
export const weekStart = () => firstWeekday;

const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

// MARK: Clocks of zones

/** @type {Map<string, Intl.DateTimeFormat | null>} */
const clocks = new Map();

/**
 * What writes a moment's date and time in a zone; `null` for a zone that this browser does not know.
 * @param {string} name
 */
function clockOf(name) {
  if (!name) return null;
  let known = clocks.get(name);
  if (known === undefined) {
    try {
      known = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        calendar: 'gregory',
        numberingSystem: 'latn',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      known = null;
    }
    clocks.set(name, known);
  }
  return known;
}

/**
 * Milliseconds by which clocks are ahead of UTC.
 * @param {number} moment milliseconds since 1970
 * @param {string} of a zone, empty for this browser's
 */
function offsetAt(moment, of) {
  const clock = clockOf(of);
  if (!clock) return -new Date(moment).getTimezoneOffset() * 60_000;
  const at = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - Math.floor(moment / 1000) * 1000;
}

/**
 * `2026-11-20T17:48`, as clocks show a moment.
 * @param {Date} moment
 * @param {string} [of] a zone, the one of these pages unless told
 */
export function localText(moment, of = chosenZone) {
  return new Date(moment.getTime() + offsetAt(moment.getTime(), of)).toISOString().slice(0, 16);
}

/**
 * The moment at which clocks show a time.
 * @param {number} local milliseconds, as if it were UTC's
 * @param {string} of a zone
 */
function momentAt(local, of) {
  // Of a time that a change of the clocks repeats, the first; one that it skips moves on by what they did.
  const [before, after] = [offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)];
  return new Date(
    offsetAt(local - before, of) !== before && offsetAt(local - after, of) === after ? local - after : local - before,
  );
}

/**
 * A time as if it were UTC's, in milliseconds; not a number where a text is none.
 * @param {string} text
 */
const localOf = (text) => Date.parse(`${text.length === 10 ? `${text}T00:00` : text}Z`);

/**
 * `+02:00`.
 * @param {number} milliseconds
 */
function offsetName(milliseconds) {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  return `${milliseconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * Offset of the clocks at a moment, `+02:00`.
 * @param {Date} moment
 */
export const offsetOf = (moment) => offsetName(offsetAt(moment.getTime(), chosenZone));

/**
 * Offsets of the moments at which clocks show a time, the earlier moment first: two of a time that a change of the
 * clocks repeats, none of one that it skips.
 * @param {number} local
 * @param {string} of a zone
 * @returns {number[]} milliseconds
 */
function offsetsAt(local, of) {
  const around = new Set([offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)]);
  return [...around].filter((offset) => offsetAt(local - offset, of) === offset).sort((a, b) => b - a);
}

/**
 * The same of a text such as `2026-10-25T02:30`, as `+02:00`.
 * @param {string} text
 * @returns {string[]}
 */
export function offsetsOf(text) {
  const local = localOf(text);
  return Number.isNaN(local) ? [] : offsetsAt(local, chosenZone).map(offsetName);
}

/**
 * Offset of a moment whose time of day a change of the clocks repeats, by which the two are told apart; else empty.
 * @param {Date} moment
 * @param {string} of a zone
 */
function tellingOffset(moment, of) {
  const offset = offsetAt(moment.getTime(), of);
  return offsetsAt(moment.getTime() + offset, of).length > 1 ? offsetName(offset) : '';
}

/**
 * The moment of a text such as `2026-11-20T17:48`, or of a date's midnight; an invalid `Date` where it is neither.
 * @param {string} text
 * @param {string} [of] a zone, the one of these pages unless told
 * @param {string} [offset] which of two moments is meant, `+02:00`; the first unless told
 */
export function momentOf(text, of = chosenZone, offset = '') {
  const local = localOf(text);
  if (Number.isNaN(local)) return new Date(NaN);
  const chosen = offset ? offsetsAt(local, of).find((one) => offsetName(one) === offset) : undefined;
  return chosen === undefined ? momentAt(local, of) : new Date(local - chosen);
}

/**
 * A date as its midnight with the offset here, by which it stays the same date everywhere.
 * @param {string} date
 */
export function midnightText(date) {
  const minutes = Math.round((Date.parse(date) - momentOf(date).getTime()) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${date}T00:00:00${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

// MARK: Dates

/**
 * The calendar's date of a moment here.
 * @param {Date} moment
 */
export const dateHere = (moment) => localText(moment).slice(0, 10);

/**
 * @param {string} date
 * @returns {[number, number, number]}
 */
const parts = (date) => /** @type {[number, number, number]} */ (date.split('-').map(Number));

/**
 * Whether it is a date that there is.
 * @param {string | undefined} text
 */
export function isDate(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? '')) return false;
  const [y, m, d] = parts(/** @type {string} */ (text));
  const date = new Date(Date.UTC(y, m - 1, d));
  return date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
}

/**
 * @param {string} date
 * @param {number} days
 */
export function addDays(date, days) {
  const [y, m, d] = parts(date);
  return new Date(Date.UTC(y, m - 1, d + days)).toISOString().slice(0, 10);
}

/**
 * A month that is so many months later.
 * @param {string} month `2026-11`
 * @param {number} by
 */
export function addMonths(month, by) {
  const [y, m] = parts(`${month}-01`);
  return new Date(Date.UTC(y, m - 1 + by, 1)).toISOString().slice(0, 7);
}

/**
 * Days from one date to another.
 * @param {string} from
 * @param {string} to
 */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/**
 * 0 is Sunday.
 * @param {string} date
 */
export const weekday = (date) => new Date(`${date}T00:00:00Z`).getUTCDay();

/**
 * The first date of the week that a date is in.
 * @param {string} date
 */
export const startOfWeek = (date) => addDays(date, -((weekday(date) - firstWeekday + 7) % 7));

/**
 * The first moment of a day.
 * @param {string} date
 */
export const startOf = (date) => momentAt(Date.parse(date) + dayStart * 1000, chosenZone);

/**
 * The day that a moment is in.
 * @param {Date} moment
 */
export function dayOf(moment) {
  const date = dateHere(moment);
  return moment < startOf(date) ? addDays(date, -1) : date;
}

export const today = () => dayOf(new Date());

/**
 * The day that an event belongs to: an all-day event has a date of its own, in the zone where it was recorded.
 * @param {Api.Event} event
 */
export const dayOfEvent = (event) =>
  event.is_all_day ? dateOfAllDay(new Date(event.timestamp), event) : dayOf(new Date(event.timestamp));

/**
 * The zone in which an event was recorded; that of these pages where it names none that this browser knows.
 * @param {Api.Event} event
 */
export const zoneOf = ({ time_zone: name }) => (name && clockOf(name) ? name : chosenZone);

/**
 * The date that an all-day event means by a moment of its own.
 * @param {Date} moment its start or its end
 * @param {Api.Event} event
 */
export function dateOfAllDay(moment, event) {
  const { time_zone: name } = event;
  if (name && clockOf(name)) return localText(moment, name).slice(0, 10);
  if (localText(moment).endsWith('T00:00')) return dateHere(moment);
  return new Date(moment.getTime() + 43_200_000).toISOString().slice(0, 10);
}

/**
 * The zone in which an event was recorded, where clocks show another time than here; else empty.
 * @param {Api.Event} event
 */
export function otherZone(event) {
  const [moment, name] = [Date.parse(event.timestamp), zoneOf(event)];
  return !event.is_all_day && offsetAt(moment, name) !== offsetAt(moment, chosenZone) ? name : '';
}

// MARK: As a person reads them

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = JSON.stringify(options);
  let known = formats.get(key);
  // Dates are of this calendar, in every locale: a month's name of another would stand beside a number that is none of
  // its days.
  if (!known) formats.set(key, (known = new Intl.DateTimeFormat(locale(), { calendar: 'gregory', ...options })));
  return known;
}

/**
 * A date in words.
 * @param {string} date
 * @param {Intl.DateTimeFormatOptions} options
 */
const inWords = (date, options) => format({ ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

// Which part comes first, and what stands between two, is the locale's: `Friday 20 November`, `Friday, November 20`,
// `Freitag, 20. November`.

/**
 * @param {string} date
 * @returns {'numeric' | undefined} the year, where it is not the present one
 */
const otherYear = (date) => (date.slice(0, 4) === today().slice(0, 4) ? undefined : 'numeric');

/**
 * `Friday 20 November`, with the year where it is another.
 * @param {string} date
 */
export const longDate = (date) =>
  inWords(date, { weekday: 'long', day: 'numeric', month: 'long', year: otherYear(date) });
/**
 * `Fri 20 Nov`.
 * @param {string} date
 */
export const shortDate = (date) => inWords(date, { weekday: 'short', day: 'numeric', month: 'short' });
/**
 * `Fri 20 Nov`, with the year where it is another.
 * @param {string} date
 */
export const shortDateOfYear = (date) =>
  inWords(date, { weekday: 'short', day: 'numeric', month: 'short', year: otherYear(date) });
/**
 * `20 November 2026`.
 * @param {string} date
 */
export const wholeDate = (date) => inWords(date, { day: 'numeric', month: 'long', year: 'numeric' });
/**
 * `November 2026`.
 * @param {string} date
 * @param {'short' | 'long'} [length]
 */
export const monthAndYear = (date, length = 'long') => inWords(date, { month: length, year: 'numeric' });
/**
 * `20 Nov`.
 * @param {string} date
 */
export const dayAndMonth = (date) => inWords(date, { day: 'numeric', month: 'short' });
/**
 * `Fri`.
 * @param {string} date
 * @param {'short' | 'long' | 'narrow'} [length]
 */
export const weekdayName = (date, length = 'short') => inWords(date, { weekday: length });
/**
 * `Nov`.
 * @param {string} date
 * @param {'short' | 'long'} [length]
 */
export const monthName = (date, length = 'short') => inWords(date, { month: length });

/** Whether times are `5:48 pm`. */
const isTwelve = () => (hours ? hours === '12' : format({ hour: 'numeric' }).resolvedOptions().hour12 === true);

/**
 * `17:48`; `02:30 +02:00` of a time that a change of the clocks repeats.
 * @param {Date} moment
 * @param {string} [of] a zone, the one of these pages unless told
 */
export function time(moment, of = chosenZone) {
  return [clockTime(moment, of, {}), tellingOffset(moment, of)].filter(Boolean).join(' ');
}

/**
 * `17:48:05`.
 * @param {Date} moment
 */
export const timeToSecond = (moment) => clockTime(moment, chosenZone, { second: '2-digit' });

/**
 * @param {Date} moment
 * @param {string} of a zone
 * @param {Intl.DateTimeFormatOptions} more
 */
const clockTime = (moment, of, more) =>
  format({
    timeZone: of || undefined,
    hour: isTwelve() ? 'numeric' : '2-digit',
    minute: '2-digit',
    ...more,
    hourCycle: isTwelve() ? 'h12' : 'h23',
  })
    .format(moment)
    .toLocaleLowerCase();

/**
 * A time of day, as it would be shown.
 * @param {number} minutes after midnight
 */
export const minuteText = (minutes) => time(new Date(Date.UTC(2023, 0, 2, 0, minutes)), 'UTC');

/**
 * `today`, `yesterday`, `last Wednesday`, `20 Nov`.
 * @param {string} date
 */
export function nearDate(date) {
  const ago = daysBetween(date, today());
  if (ago === 0) return texts.dates.today;
  if (ago === 1) return texts.dates.yesterday;
  if (ago === -1) return texts.dates.tomorrow;
  if (ago > 1 && ago < 7) return texts.dates.last(weekdayName(date, 'long'));
  return inWords(date, { day: 'numeric', month: 'short', year: otherYear(date) });
}

/**
 * `17:48` of today, `yesterday 22:10`, `20 Nov 08:31`.
 * @param {Date} moment
 */
export function nearTime(moment) {
  const day = dayOf(moment);
  return day === today() ? time(moment) : texts.dates.at(nearDate(day), time(moment));
}

/**
 * `1 h 06 min`, `24 min`, `40 s`.
 * @param {number} seconds
 */
export function length(seconds) {
  const whole = Math.round(Math.abs(seconds));
  if (whole < 60) return texts.units.seconds(whole);
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return texts.units.minutes(minutes);
  const rest = minutes % 60;
  const hours = Math.floor(minutes / 60);
  return rest ? texts.units.hoursAndMinutes(hours, two(rest)) : texts.units.hours(hours);
}

/**
 * `1:38`, of what runs.
 * @param {number} seconds
 */
export function clock(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
}
