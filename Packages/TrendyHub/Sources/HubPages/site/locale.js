// Formats of numbers and lists. They follow the language of the interface, so words and digits always match: while the
// interface is in English, a browser in another language shows English digits and dates.

/** Language of the interface, and the locale for browsers in any other language. */
let language = 'en';
let fallback = 'en-GB';

/**
 * @param {string} code language code
 * @param {string} other locale for browsers in another language
 */
export function useLanguage(code, other) {
  [language, fallback] = [code, other];
  formats.clear();
  document.documentElement.lang = code;
}

/** Returns the locale for all formatting: the browser's own if it has the language of the interface. */
export function locale() {
  const own = new Intl.NumberFormat().resolvedOptions().locale.replace(/-u-.*/, '');
  return own.split('-')[0] === language ? own : fallback;
}

/** @type {Map<string, any>} */
const formats = new Map();

/**
 * @template T
 * @param {string} key
 * @param {(locale: string) => T} make
 * @returns {T}
 */
function cached(key, make) {
  if (!formats.has(key)) formats.set(key, make(locale()));
  return formats.get(key);
}

/** @param {Intl.NumberFormatOptions} options */
const numberFormat = (options) => cached(JSON.stringify(options), (name) => new Intl.NumberFormat(name, options));

/**
 * Formats a whole number, such as `9,152`.
 * @param {number} n
 */
export const count = (n) => numberFormat({}).format(n);
/**
 * Formats a number with a fixed number of decimals, such as `2.50`.
 * @param {number} n
 * @param {number} digits
 */
export const fixed = (n, digits) =>
  numberFormat({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(n);
/**
 * Formats a number with a maximum number of decimals, such as `2.5`.
 * @param {number} n
 * @param {number} digits
 */
export const decimal = (n, digits) => numberFormat({ maximumFractionDigits: digits }).format(n);
/**
 * Formats a whole number as `120`, or from 10,000 as `12K`.
 * @param {number} n
 */
export const shortCount = (n) =>
  n < 10_000 ? count(n) : numberFormat({ notation: 'compact', maximumFractionDigits: 1 }).format(n);
/**
 * Formats a number with its sign: `−3`, `+12`, `0`.
 * @param {number} n
 * @param {number} [digits] fixed number of decimals
 */
export const signed = (n, digits = 0) => `${n < 0 ? '−' : n > 0 ? '+' : ''}${fixed(Math.abs(n), digits)}`;

/**
 * Returns the text for a number in the right plural form, with `#` replaced by the number: `12 entries`.
 * @param {number} n
 * @param {{[category in Intl.LDMLPluralRule]?: string} & {other: string}} forms
 */
export function plural(n, forms) {
  const category = cached('plural', (name) => new Intl.PluralRules(name)).select(n);
  return (forms[category] ?? forms.other).replaceAll('#', count(n));
}

/**
 * Joins words into a list: `coffee, mood and run`.
 * @param {string[]} parts
 */
export const list = (parts) =>
  cached('list', (name) => new Intl.ListFormat(name, { type: 'conjunction' })).format(parts);

/**
 * Returns a separator used by the locale in numbers, such as `.` for decimals and `,` for groups.
 * @param {'decimal' | 'group'} kind
 */
export const numberSign = (kind) =>
  numberFormat({ useGrouping: true })
    .formatToParts(1234567.5)
    .find((part) => part.type === kind)?.value ?? '';

/**
 * Formats a time zone as `America/New York`. Names such as `Etc/GMT-9`, with a reversed sign as in POSIX, become
 * `UTC+9`.
 * @param {string} zone
 */
export const zoneText = (zone) =>
  zone
    .replace(/^Etc\/GMT([+-])(\d+)$/, (_, sign, hours) => `UTC${sign === '-' ? '+' : '−'}${hours}`)
    .replaceAll('_', ' ');
