// Calendar days and times. Days are strings such as `2026-11-19` in the user's time zone, or the browser's if none is
// chosen, and start at the user's day start. The methods of `Date` use the browser's zone, so only this module formats
// moments.

import { locale } from '../locale.js';
import { texts } from '../texts.js';

/** Seconds after midnight at which a day starts. */
let dayStart = 0;
/** First day of the week; 0 is Sunday. */
let firstWeekday = 1;
/** `12`, `24`, or empty for the locale's clock. */
let hours = '';

/** Time zone chosen by the user; empty for the browser's. */
let chosenZone = '';

/** @param {Api.Patch} settings by key */
export function useSettings(settings) {
  // A zone unknown to this browser is ignored.
  chosenZone = clockOf(String(settings.time_zone ?? '')) ? settings.time_zone : '';
  const clock = /^(\d{1,2}):(\d{2})/.exec(settings.day_starts_at ?? '');
  dayStart = clock ? Number(clock[1]) * 3600 + Number(clock[2]) * 60 : 0;
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  firstWeekday = Math.max(0, names.indexOf(settings.week_starts_on ?? 'monday'));
  hours = String(settings.hours ?? '');
  formats.clear();
}

/** Time zone of the browser. */
export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
/** Time zone of all days and times on the pages and in requests. */
export const zone = () => chosenZone || browserZone();
export const dayStartSeconds = () => dayStart;

/**
 * Path of a request whose response depends on day boundaries.
 * @template {string} Path
 * @param {Path} path
 * @param {Record<string, string | number>} [more] further parameters
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
 * Formatter for date and time in a zone; `null` for an unknown zone.
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
 * Offset of a zone from UTC, in milliseconds.
 * @param {number} moment milliseconds since 1970
 * @param {string} of zone; empty for the browser's
 */
function offsetAt(moment, of) {
  const clock = clockOf(of);
  if (!clock) return -new Date(moment).getTimezoneOffset() * 60_000;
  const at = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - Math.floor(moment / 1000) * 1000;
}

/**
 * Local date and time of a moment, such as `2026-11-20T17:48`.
 * @param {Date} moment
 * @param {string} [of] zone; by default the user's
 */
export function localText(moment, of = chosenZone) {
  return new Date(moment.getTime() + offsetAt(moment.getTime(), of)).toISOString().slice(0, 16);
}

/**
 * Moment of a local time.
 * @param {number} local milliseconds as if the local time were UTC
 * @param {string} of a zone
 */
function momentAt(local, of) {
  // A repeated local time means its first occurrence; a skipped one is shifted by the clock change.
  const [before, after] = [offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)];
  return new Date(
    offsetAt(local - before, of) !== before && offsetAt(local - after, of) === after ? local - after : local - before,
  );
}

/**
 * Milliseconds of a local time as if it were UTC; NaN for an invalid text.
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
 * UTC offset at a moment, such as `+02:00`.
 * @param {Date} moment
 */
export const offsetOf = (moment) => offsetName(offsetAt(moment.getTime(), chosenZone));

/**
 * UTC offsets of the moments with a local time, the earlier moment first: two if a clock change repeats it, none if a
 * clock change skips it.
 * @param {number} local
 * @param {string} of a zone
 * @returns {number[]} milliseconds
 */
function offsetsAt(local, of) {
  const around = new Set([offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)]);
  return [...around].filter((offset) => offsetAt(local - offset, of) === offset).sort((a, b) => b - a);
}

/**
 * UTC offsets of a local time such as `2026-10-25T02:30`.
 * @param {string} text
 * @returns {string[]}
 */
export function offsetsOf(text) {
  const local = localOf(text);
  return Number.isNaN(local) ? [] : offsetsAt(local, chosenZone).map(offsetName);
}

/**
 * UTC offset of a moment whose local time occurs twice; else empty.
 * @param {Date} moment
 * @param {string} of a zone
 */
function tellingOffset(moment, of) {
  const offset = offsetAt(moment.getTime(), of);
  return offsetsAt(moment.getTime() + offset, of).length > 1 ? offsetName(offset) : '';
}

/**
 * Moment of a text such as `2026-11-20T17:48` or of the midnight of a date; an invalid `Date` for other texts.
 * @param {string} text
 * @param {string} [of] zone; by default the user's
 * @param {string} [offset] UTC offset that selects one of two moments, such as `+02:00`; by default the first
 */
export function momentOf(text, of = chosenZone, offset = '') {
  const local = localOf(text);
  if (Number.isNaN(local)) return new Date(NaN);
  const chosen = offset ? offsetsAt(local, of).find((one) => offsetName(one) === offset) : undefined;
  return chosen === undefined ? momentAt(local, of) : new Date(local - chosen);
}

/**
 * Midnight of a date with its UTC offset, which keeps the date in every zone.
 * @param {string} date
 */
export function midnightText(date) {
  const minutes = Math.round((Date.parse(date) - momentOf(date).getTime()) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${date}T00:00:00${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

// MARK: Dates

/**
 * Date of a moment in the user's zone.
 * @param {Date} moment
 */
export const dateHere = (moment) => localText(moment).slice(0, 10);

/**
 * @param {string} date
 * @returns {[number, number, number]}
 */
const parts = (date) => /** @type {[number, number, number]} */ (date.split('-').map(Number));

/**
 * Whether a text is an existing date.
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
 * Month a number of months later.
 * @param {string} month `2026-11`
 * @param {number} by
 */
export function addMonths(month, by) {
  const [y, m] = parts(`${month}-01`);
  return new Date(Date.UTC(y, m - 1 + by, 1)).toISOString().slice(0, 7);
}

/**
 * Number of days between two dates.
 * @param {string} from
 * @param {string} to
 */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/**
 * Weekday of a date; 0 is Sunday.
 * @param {string} date
 */
export const weekday = (date) => new Date(`${date}T00:00:00Z`).getUTCDay();

/**
 * First date of the week of a date.
 * @param {string} date
 */
export const startOfWeek = (date) => addDays(date, -((weekday(date) - firstWeekday + 7) % 7));

/**
 * First moment of a day.
 * @param {string} date
 * @param {string} [of] time zone; by default the one of the pages
 */
export const startOf = (date, of = chosenZone) => momentAt(Date.parse(date) + dayStart * 1000, of);

/**
 * Day of a moment.
 * @param {Date} moment
 * @param {string} [of] time zone; by default the one of the pages
 */
export function dayOf(moment, of = chosenZone) {
  const date = localText(moment, of).slice(0, 10);
  return moment < startOf(date, of) ? addDays(date, -1) : date;
}

export const today = () => dayOf(new Date());

/**
 * Day of an event in the time zone where it was recorded.
 * @param {Api.Event} event
 */
export const dayOfEvent = (event) =>
  event.is_all_day ? dateOfAllDay(new Date(event.timestamp), event) : dayOf(new Date(event.timestamp), zoneOf(event));

/**
 * Last day that an event touches, in the time zone where it was recorded. An event that ends when a day begins does not
 * touch that day.
 * @param {Api.Event} event
 * @param {number} [now] end of a running event, in milliseconds since 1970
 */
export function lastDayOf(event, now = NaN) {
  const end = event.end_date ? Date.parse(event.end_date) : now;
  if (!(end > Date.parse(event.timestamp))) return dayOfEvent(event);
  return event.is_all_day ? dateOfAllDay(new Date(end), event) : dayOf(new Date(end - 1), zoneOf(event));
}

/**
 * Whether an event touches a day.
 * @param {Api.Event} event
 * @param {string} day
 */
export const touches = (event, day) => dayOfEvent(event) <= day && day <= lastDayOf(event);

/**
 * Time zone where an event was recorded, or the user's if it is unknown.
 * @param {Api.Event} event
 */
export const zoneOf = ({ time_zone: name }) => (name && clockOf(name) ? name : chosenZone);

/**
 * Date of an all-day event's start or end.
 * @param {Date} moment start or end
 * @param {Api.Event} event
 */
export function dateOfAllDay(moment, event) {
  const { time_zone: name } = event;
  if (name && clockOf(name)) return localText(moment, name).slice(0, 10);
  if (localText(moment).endsWith('T00:00')) return dateHere(moment);
  return new Date(moment.getTime() + 43_200_000).toISOString().slice(0, 10);
}

/**
 * Time zone where an event was recorded if its local time differs from the user's; else empty.
 * @param {Api.Event} event
 */
export function otherZone(event) {
  const [moment, name] = [Date.parse(event.timestamp), zoneOf(event)];
  return !event.is_all_day && offsetAt(moment, name) !== offsetAt(moment, chosenZone) ? name : '';
}

/**
 * Changes of an event that was recorded in another time zone; `null` if it has that zone.
 * @param {Api.Event} event
 * @param {string} name of the zone
 * @param {boolean} keepsClock whether the local time stays and the moment changes; an all-day event keeps its dates
 * @returns {Api.Patch | null}
 */
export function inZone(event, name, keepsClock) {
  if (event.time_zone === name) return null;
  const from = zoneOf(event);
  const moved = (/** @type {string} */ text) => {
    const moment = new Date(text);
    if (event.is_all_day) return momentOf(dateOfAllDay(moment, event), name).toISOString();
    return new Date(momentOf(localText(moment, from), name).getTime() + (moment.getTime() % 60_000)).toISOString();
  };
  if (!keepsClock && !event.is_all_day) return { time_zone: name };
  const end = event.end_date ? { end_date: moved(event.end_date) } : {};
  return { time_zone: name, timestamp: moved(event.timestamp), ...end };
}

// MARK: As a person reads them

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = JSON.stringify(options);
  let known = formats.get(key);
  // All dates use the Gregorian calendar, which the day numbers belong to.
  if (!known) formats.set(key, (known = new Intl.DateTimeFormat(locale(), { calendar: 'gregory', ...options })));
  return known;
}

/**
 * Formats a date.
 * @param {string} date
 * @param {Intl.DateTimeFormatOptions} options
 */
const inWords = (date, options) => format({ ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

// Order and separators follow the locale: `Friday 20 November`, `Friday, November 20`.

/**
 * @param {string} date
 * @returns {'numeric' | undefined} whether to show the year: not for the present one
 */
const otherYear = (date) => (date.slice(0, 4) === today().slice(0, 4) ? undefined : 'numeric');

/**
 * `Friday 20 November`, with the year if it is not the present one.
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
 * `Fri 20 Nov`, with the year if it is not the present one.
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

/** Whether the clock has 12 hours. */
const isTwelve = () => (hours ? hours === '12' : format({ hour: 'numeric' }).resolvedOptions().hour12 === true);

/**
 * `17:48`; `02:30 +02:00` if a clock change repeats the time.
 * @param {Date} moment
 * @param {string} [of] zone; by default the user's
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
 * Formats a time of day.
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
 * `1:38`, for running timers.
 * @param {number} seconds
 */
export function clock(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
}
