// Formats a number with its label: `6.2 km`, `5 glasses`, `1 glass`, `Score 4`, or `Pulse 62 bpm` for `Pulse (bpm)`.

import { decimal } from '../locale.js';

const SYMBOLS = new Set(
  'km m cm mm mi ft kg g mg lb lbs oz l dl cl ml kcal cal kj kwh wh min h hr hrs s sec ms bpm rpm mmhg mmol ppm'.split(
    ' ',
  ),
);

/**
 * Whether a label is a unit symbol. Punctuation as in `km/h` and `%` makes any word a symbol.
 * @param {string} label
 */
const isSymbol = (label) =>
  SYMBOLS.has(label.toLowerCase()) || /^[^\s,:;.()]*[^\p{L}\p{N}\s,:;.()'’-][^\s,:;.()]*$/u.test(label);

/**
 * Whether a label is a plural. `progress`, `focus` and `basis` are not.
 * @param {string} label
 */
const isPlural = (label) => /\p{L}{2}s$/u.test(label) && !/(ss|us|is)$/.test(label);

/**
 * Lower-cases a label within a sentence, but not `IPAs`.
 * @param {string} label
 */
const inSentence = (label) => (/^\p{Lu}\p{Ll}/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label);

/**
 * Singular of a plural if its ending is unambiguous.
 * @param {string} plural
 * @returns {string | null}
 */
function oneOf(plural) {
  if (/(ss|sh|tch|x)es$/i.test(plural)) return plural.slice(0, -2);
  return /([szov]|ch|i)es$/i.test(plural) ? null : plural.slice(0, -1);
}

/**
 * Splits a label: `Weight (kg)` is `Weight` in `kg`.
 * @param {string} label
 * @returns {[string, string]} name and unit; the unit is empty if there is none
 */
export function withoutUnit(label) {
  const [, what, unit] = /^(.*\S)\s*\(([^()]{1,12})\)$/.exec(label) ?? [];
  return what ? [what, unit] : [label, ''];
}

/**
 * @param {number} value
 * @param {string} label empty if it is shown elsewhere
 * @param {string} [known] name that the reader already sees, such as the type's
 */
export function amountText(value, label, known = '') {
  const number = decimal(value, 3);
  const [what, unit] = withoutUnit(label);
  if (unit) return what.toLowerCase() === known.toLowerCase() ? `${number} ${unit}` : `${what} ${number} ${unit}`;
  if (!label) return number;
  if (isSymbol(label)) return `${number} ${inSentence(label)}`;
  if (!isPlural(label)) return `${label} ${number}`;
  const words = Math.abs(value) === 1 ? oneOf(label) : label;
  return words ? `${number} ${inSentence(words)}` : `${label} ${number}`;
}
