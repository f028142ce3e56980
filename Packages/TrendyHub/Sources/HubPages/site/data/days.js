// Calendar days and times. A day is a string such as `2026-11-19`, in the user's time zone or by default the browser's,
// and begins at the user's start of day. The methods of `Date` use the browser's zone, so only this module formats
// times.

import { locale } from '../locale.js';
import { texts } from '../texts.js';

/** Start of a day in seconds after midnight. */
let dayStart = 0;
/** First day of the week, where 0 is Sunday. */
let firstWeekday = 1;
/** Clock format chosen by the user: `12`, `24`, or empty for the locale's format. */
let hours = '';

/** Time zone chosen by the user, or empty for the browser's zone. */
let chosenZone = '';

/** @param {Api.Patch} settings by key */
export function useSettings(settings) {
  // Ignore a zone unknown to this browser.
  chosenZone = clockOf(String(settings.time_zone ?? '')) ? settings.time_zone : '';
  const clock = /^(\d{1,2}):(\d{2})/.exec(settings.day_starts_at ?? '');
  dayStart = clock ? Number(clock[1]) * 3600 + Number(clock[2]) * 60 : 0;
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  firstWeekday = Math.max(0, names.indexOf(settings.week_starts_on ?? 'monday'));
  hours = String(settings.hours ?? '');
  formats.clear();
}

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
/** Returns the time zone for all days and times on the pages and in requests. */
export const zone = () => chosenZone || browserZone();
export const dayStartSeconds = () => dayStart;

/**
 * Returns a request path with the parameters that define the day boundaries.
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

// MARK: Time zones

/** @type {Map<string, Intl.DateTimeFormat | null>} */
const clocks = new Map();

/**
 * Returns a formatter for dates and times in a zone, or `null` if the zone is unknown.
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
 * Returns a zone's offset from UTC in milliseconds.
 * @param {number} moment milliseconds since 1970
 * @param {string} of zone, or empty for the browser's zone
 */
function offsetAt(moment, of) {
  const clock = clockOf(of);
  if (!clock) return -new Date(moment).getTimezoneOffset() * 60_000;
  const at = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - Math.floor(moment / 1000) * 1000;
}

/**
 * Returns the local date and time of a moment, such as `2026-11-20T17:48`.
 * @param {Date} moment
 * @param {string} [of] zone; by default the user's
 */
export function localText(moment, of = chosenZone) {
  return new Date(moment.getTime() + offsetAt(moment.getTime(), of)).toISOString().slice(0, 16);
}

/**
 * Returns the moment of a local time.
 * @param {number} local milliseconds as if the local time were UTC
 * @param {string} of a zone
 */
function momentAt(local, of) {
  // A local time that occurs twice denotes its first occurrence. A skipped local time is shifted by the clock change.
  const [before, after] = [offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)];
  return new Date(
    offsetAt(local - before, of) !== before && offsetAt(local - after, of) === after ? local - after : local - before,
  );
}

/**
 * Parses a local time as if it were UTC. Returns milliseconds, or NaN if the text is invalid.
 * @param {string} text
 */
const localOf = (text) => Date.parse(`${text.length === 10 ? `${text}T00:00` : text}Z`);

/**
 * Formats a UTC offset as `+02:00`.
 * @param {number} milliseconds
 */
function offsetName(milliseconds) {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  return `${milliseconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * Returns the UTC offset at a moment, such as `+02:00`.
 * @param {Date} moment
 */
export const offsetOf = (moment) => offsetName(offsetAt(moment.getTime(), chosenZone));

/**
 * Returns the UTC offsets at which a local time exists, earliest moment first. There are two if a clock change repeats
 * the time, and none if it skips the time.
 * @param {number} local
 * @param {string} of a zone
 * @returns {number[]} milliseconds
 */
function offsetsAt(local, of) {
  const around = new Set([offsetAt(local - 86_400_000, of), offsetAt(local + 86_400_000, of)]);
  return [...around].filter((offset) => offsetAt(local - offset, of) === offset).sort((a, b) => b - a);
}

/**
 * Returns the UTC offsets at which a local time such as `2026-10-25T02:30` exists.
 * @param {string} text
 * @returns {string[]}
 */
export function offsetsOf(text) {
  const local = localOf(text);
  return Number.isNaN(local) ? [] : offsetsAt(local, chosenZone).map(offsetName);
}

/**
 * Returns the UTC offset of a moment if its local time occurs twice, otherwise an empty string.
 * @param {Date} moment
 * @param {string} of a zone
 */
function tellingOffset(moment, of) {
  const offset = offsetAt(moment.getTime(), of);
  return offsetsAt(moment.getTime() + offset, of).length > 1 ? offsetName(offset) : '';
}

/**
 * Parses a local time such as `2026-11-20T17:48`, or a date as its midnight. Returns an invalid `Date` for other text.
 * @param {string} text
 * @param {string} [of] zone; by default the user's
 * @param {string} [offset] UTC offset that selects one of two moments, such as `+02:00`; by default the first moment
 */
export function momentOf(text, of = chosenZone, offset = '') {
  const local = localOf(text);
  if (Number.isNaN(local)) return new Date(NaN);
  const chosen = offset ? offsetsAt(local, of).find((one) => offsetName(one) === offset) : undefined;
  return chosen === undefined ? momentAt(local, of) : new Date(local - chosen);
}

/**
 * Returns the midnight of a date with its UTC offset, which preserves the date in every zone.
 * @param {string} date
 */
export function midnightText(date) {
  const minutes = Math.round((Date.parse(date) - momentOf(date).getTime()) / 60_000);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${date}T00:00:00${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

// MARK: Dates

/**
 * @param {Date} moment
 */
export const dateHere = (moment) => localText(moment).slice(0, 10);

/**
 * @param {string} date
 * @returns {[number, number, number]}
 */
const parts = (date) => /** @type {[number, number, number]} */ (date.split('-').map(Number));

/**
 * Returns whether a string is an existing date.
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
 * @param {string} month `2026-11`
 * @param {number} by
 */
export function addMonths(month, by) {
  const [y, m] = parts(`${month}-01`);
  return new Date(Date.UTC(y, m - 1 + by, 1)).toISOString().slice(0, 7);
}

/**
 * @param {string} from
 * @param {string} to
 */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/**
 * Returns the weekday of a date, where 0 is Sunday.
 * @param {string} date
 */
export const weekday = (date) => new Date(`${date}T00:00:00Z`).getUTCDay();

/**
 * @param {string} date
 */
export const startOfWeek = (date) => addDays(date, -((weekday(date) - firstWeekday + 7) % 7));

/**
 * @param {string} date
 * @param {string} [of] time zone; by default the user's
 */
export const startOf = (date, of = chosenZone) => momentAt(Date.parse(date) + dayStart * 1000, of);

/**
 * @param {Date} moment
 * @param {string} [of] time zone; by default the user's
 */
export function dayOf(moment, of = chosenZone) {
  const date = localText(moment, of).slice(0, 10);
  return moment < startOf(date, of) ? addDays(date, -1) : date;
}

export const today = () => dayOf(new Date());

/**
 * Returns the day of an event in the time zone in which it was recorded.
 * @param {Api.Event} event
 */
export const dayOfEvent = (event) =>
  event.is_all_day ? dateOfAllDay(new Date(event.timestamp), event) : dayOf(new Date(event.timestamp), zoneOf(event));

/**
 * Returns the last day that an event touches, in the time zone where it was recorded. An event that ends exactly when a
 * day begins does not touch that day.
 * @param {Api.Event} event
 * @param {number} [now] end of a running event, in milliseconds since 1970
 */
export function lastDayOf(event, now = NaN) {
  const end = event.end_date ? Date.parse(event.end_date) : now;
  if (!(end > Date.parse(event.timestamp))) return dayOfEvent(event);
  return event.is_all_day ? dateOfAllDay(new Date(end), event) : dayOf(new Date(end - 1), zoneOf(event));
}

/**
 * @param {Api.Event} event
 * @param {string} day
 */
export const touches = (event, day) => dayOfEvent(event) <= day && day <= lastDayOf(event);

/**
 * Returns the time zone in which an event was recorded or, if it is unknown, the user's time zone.
 * @param {Api.Event} event
 */
export const zoneOf = ({ time_zone: name }) => (name && clockOf(name) ? name : chosenZone);

/**
 * Returns the date of the start or end of an all-day event.
 * @param {Date} moment start or end of the event
 * @param {Api.Event} event
 */
export function dateOfAllDay(moment, event) {
  const { time_zone: name } = event;
  if (name && clockOf(name)) return localText(moment, name).slice(0, 10);
  if (localText(moment).endsWith('T00:00')) return dateHere(moment);
  return new Date(moment.getTime() + 43_200_000).toISOString().slice(0, 10);
}

/**
 * Returns the time zone in which an event was recorded if its local time differs from the user's, otherwise an empty
 * string.
 * @param {Api.Event} event
 */
export function otherZone(event) {
  const [moment, name] = [Date.parse(event.timestamp), zoneOf(event)];
  return !event.is_all_day && offsetAt(moment, name) !== offsetAt(moment, chosenZone) ? name : '';
}

/**
 * Returns the changes that move an event to another time zone, or `null` if it already has that zone.
 * @param {Api.Event} event
 * @param {string} name of the zone
 * @param {boolean} keepsClock whether the local time stays and the moment changes. An all-day event always keeps its
 *   dates
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

// MARK: Formatting

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = JSON.stringify(options);
  let known = formats.get(key);
  // All dates use the Gregorian calendar, like the date strings.
  if (!known) formats.set(key, (known = new Intl.DateTimeFormat(locale(), { calendar: 'gregory', ...options })));
  return known;
}

/**
 * @param {string} date
 * @param {Intl.DateTimeFormatOptions} options
 */
const inWords = (date, options) => format({ ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

// Order and separators follow the locale: `Friday 20 November`, `Friday, November 20`.

/**
 * Returns the format option for the year, or `undefined` to omit the current year.
 * @param {string} date
 * @returns {'numeric' | undefined}
 */
const otherYear = (date) => (date.slice(0, 4) === today().slice(0, 4) ? undefined : 'numeric');

/**
 * Formats a date as `Friday 20 November`, with the year unless it is the current one.
 * @param {string} date
 */
export const longDate = (date) =>
  inWords(date, { weekday: 'long', day: 'numeric', month: 'long', year: otherYear(date) });
/**
 * Formats a date as `Fri 20 Nov`.
 * @param {string} date
 */
export const shortDate = (date) => inWords(date, { weekday: 'short', day: 'numeric', month: 'short' });
/**
 * Formats a date as `Fri 20 Nov`, with the year unless it is the current one.
 * @param {string} date
 */
export const shortDateOfYear = (date) =>
  inWords(date, { weekday: 'short', day: 'numeric', month: 'short', year: otherYear(date) });
/**
 * Formats a date as `20 November 2026`.
 * @param {string} date
 */
export const wholeDate = (date) => inWords(date, { day: 'numeric', month: 'long', year: 'numeric' });
/**
 * Formats a date as `November 2026`.
 * @param {string} date
 * @param {'short' | 'long'} [length]
 */
export const monthAndYear = (date, length = 'long') => inWords(date, { month: length, year: 'numeric' });
/**
 * Formats a date as `20 Nov`.
 * @param {string} date
 */
export const dayAndMonth = (date) => inWords(date, { day: 'numeric', month: 'short' });
/**
 * Formats the weekday of a date, such as `Fri`.
 * @param {string} date
 * @param {'short' | 'long' | 'narrow'} [length]
 */
export const weekdayName = (date, length = 'short') => inWords(date, { weekday: length });
/**
 * Formats the month of a date, such as `Nov`.
 * @param {string} date
 * @param {'short' | 'long'} [length]
 */
export const monthName = (date, length = 'short') => inWords(date, { month: length });

/** Returns whether times are shown on a 12-hour clock. */
const isTwelve = () => (hours ? hours === '12' : format({ hour: 'numeric' }).resolvedOptions().hour12 === true);

/**
 * Formats a time as `17:48`, or as `02:30 +02:00` if a clock change repeats it.
 * @param {Date} moment
 * @param {string} [of] zone; by default the user's
 */
export function time(moment, of = chosenZone) {
  return [clockTime(moment, of, {}), tellingOffset(moment, of)].filter(Boolean).join(' ');
}

/**
 * Formats a time as `17:48:05`.
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
 * @param {number} minutes after midnight
 */
export const minuteText = (minutes) => time(new Date(Date.UTC(2023, 0, 2, 0, minutes)), 'UTC');

/**
 * Formats a date as `today`, `yesterday`, `last Wednesday` or `20 Nov`.
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
 * Formats a time as `17:48` if it is today, otherwise as `yesterday 22:10` or `20 Nov 08:31`.
 * @param {Date} moment
 */
export function nearTime(moment) {
  const day = dayOf(moment);
  return day === today() ? time(moment) : texts.dates.at(nearDate(day), time(moment));
}

/**
 * Formats a duration as `1 h 06 min`, `24 min` or `40 s`.
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
 * Formats the duration of a running timer as `1:38`.
 * @param {number} seconds
 */
export function clock(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
}
