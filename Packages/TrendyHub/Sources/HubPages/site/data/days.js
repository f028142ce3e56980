// Days of a person: dates as text, `2026-11-19`, in this browser's zone, beginning when the person's days begin.

/** Seconds after midnight at which a day begins. */
let dayStart = 0;
/** 0 is Sunday. */
let firstWeekday = 1;
/** `12`, `24`, or nothing for as the locale says. */
let hours = '';

/** @param {Record<string, any>} settings by key */
export function useSettings(settings) {
  const clock = /^(\d{1,2}):(\d{2})/.exec(settings.day_starts_at ?? '');
  dayStart = clock ? Number(clock[1]) * 3600 + Number(clock[2]) * 60 : 0;
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  firstWeekday = Math.max(0, names.indexOf(settings.week_starts_on ?? 'monday'));
  hours = String(settings.hours ?? '');
  formats.clear();
}

export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
export const dayStartSeconds = () => dayStart;
export const weekStart = () => firstWeekday;

const two = (/** @type {number} */ n) => String(n).padStart(2, '0');

/** The calendar's date of a moment here. @param {Date} moment */
export const dateHere = (moment) => `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;

/** @param {string} date @returns {[number, number, number]} */
const parts = (date) => /** @type {any} */ (date.split('-').map(Number));

/** Whether it is a date that there is. @param {string | undefined} text */
export function isDate(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? '')) return false;
  const [y, m, d] = parts(/** @type {string} */ (text));
  const date = new Date(Date.UTC(y, m - 1, d));
  return date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
}

/** @param {string} date @param {number} days */
export function addDays(date, days) {
  const [y, m, d] = parts(date);
  return new Date(Date.UTC(y, m - 1, d + days)).toISOString().slice(0, 10);
}

/** Days from one date to another. @param {string} from @param {string} to */
export const daysBetween = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** 0 is Sunday. @param {string} date */
export const weekday = (date) => new Date(`${date}T00:00:00Z`).getUTCDay();

/** The first date of the week that a date is in. @param {string} date */
export const startOfWeek = (date) => addDays(date, -((weekday(date) - firstWeekday + 7) % 7));

/** The first moment of a day. @param {string} date */
export function startOf(date) {
  const [y, m, d] = parts(date);
  return new Date(y, m - 1, d, 0, 0, dayStart);
}

/** The day that a moment is in. @param {Date} moment */
export function dayOf(moment) {
  const date = dateHere(moment);
  return moment < startOf(date) ? addDays(date, -1) : date;
}

export const today = () => dayOf(new Date());

/** The day that an event belongs to: an all-day event has a date of its own, in the zone where it was recorded. @param {any} event */
export function dayOfEvent(event) {
  const moment = new Date(event.timestamp);
  if (!event.is_all_day) return dayOf(moment);
  if (event.time_zone) {
    try {
      return new Intl.DateTimeFormat('en-CA', { timeZone: event.time_zone }).format(moment);
    } catch { /* a zone that this browser does not know: as without one */ }
  }
  if (moment.getHours() + moment.getMinutes() + moment.getSeconds() === 0) return dateHere(moment);
  return new Date(moment.getTime() + 43_200_000).toISOString().slice(0, 10);
}

// MARK: As a person reads them

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = JSON.stringify(options);
  let known = formats.get(key);
  // Dates are of this calendar, in every locale: a month's name of another would stand beside a number that is none of its days.
  if (!known) formats.set(key, (known = new Intl.DateTimeFormat(undefined, { calendar: 'gregory', ...options })));
  return known;
}

/** A date in words. @param {string} date @param {Intl.DateTimeFormatOptions} options */
const inWords = (date, options) => format({ ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

/** `Friday 20 November`, with the year where it is another. @param {string} date */
export function longDate(date) {
  const year = date.slice(0, 4) === today().slice(0, 4) ? undefined : 'numeric';
  const text = ['weekday', 'day', 'month'].map((part) => inWords(date, part === 'day' ? { day: 'numeric' } : { [part]: 'long' }));
  return year ? `${text.join(' ')} ${date.slice(0, 4)}` : text.join(' ');
}

/** `Fri 20 Nov`. @param {string} date */
export const shortDate = (date) => `${weekdayName(date)} ${Number(date.slice(8))} ${monthName(date)}`;
/** `20 Nov`. @param {string} date */
export const dayAndMonth = (date) => `${Number(date.slice(8))} ${monthName(date)}`;
/** `Fri`. @param {string} date @param {'short' | 'long' | 'narrow'} [length] */
export const weekdayName = (date, length = 'short') => inWords(date, { weekday: length });
/** `Nov`. @param {string} date @param {'short' | 'long'} [length] */
export const monthName = (date, length = 'short') => inWords(date, { month: length });

/** Whether times are `5:48 pm`. */
const isTwelve = () => (hours ? hours === '12' : format({ hour: 'numeric' }).resolvedOptions().hour12 === true);

/** `17:48`. @param {Date} moment */
export function time(moment) {
  return format({ hour: isTwelve() ? 'numeric' : '2-digit', minute: '2-digit', hourCycle: isTwelve() ? 'h12' : 'h23' }).format(moment).toLocaleLowerCase();
}

/** A time of day, as it would be shown. @param {number} minutes after midnight */
export const minuteText = (minutes) => time(new Date(2023, 0, 2, Math.floor(minutes / 60) % 24, minutes % 60));

/** `today`, `yesterday`, `last Wednesday`, `20 Nov`. @param {string} date */
export function nearDate(date) {
  const ago = daysBetween(date, today());
  if (ago === 0) return 'today';
  if (ago === 1) return 'yesterday';
  if (ago === -1) return 'tomorrow';
  if (ago > 1 && ago < 7) return `last ${weekdayName(date, 'long')}`;
  return date.slice(0, 4) === today().slice(0, 4) ? dayAndMonth(date) : `${dayAndMonth(date)} ${date.slice(0, 4)}`;
}

/** `1 h 06 min`, `24 min`, `40 s`. @param {number} seconds */
export function length(seconds) {
  const whole = Math.round(Math.abs(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${two(rest)} min` : `${Math.floor(minutes / 60)} h`;
}

/** `1:38`, of what runs. @param {number} seconds */
export function clock(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
}
