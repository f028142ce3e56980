// Formats a number with its label: `6.2 km`, `5 glasses`, `1 glass`, `Score 4`, or, with the label `Pulse (bpm)`,
// `Pulse 62 bpm`.

import { decimal } from '../locale.js';

const SYMBOLS = new Set(
  'km m cm mm mi ft kg g mg lb lbs oz l dl cl ml kcal cal kj kwh wh min h hr hrs s sec ms bpm rpm mmhg mmol ppm'.split(
    ' ',
  ),
);

/**
 * Returns whether a label is a unit symbol. Punctuation makes any word a symbol, as in `km/h` and `%`.
 * @param {string} label
 */
const isSymbol = (label) =>
  SYMBOLS.has(label.toLowerCase()) || /^[^\s,:;.()]*[^\p{L}\p{N}\s,:;.()'’-][^\s,:;.()]*$/u.test(label);

/**
 * Returns whether a label is a plural, unlike `progress`, `focus` and `basis`.
 * @param {string} label
 */
const isPlural = (label) => /\p{L}{2}s$/u.test(label) && !/(ss|us|is)$/.test(label);

/**
 * Lowercases a label for use within a sentence, except labels such as `IPAs`.
 * @param {string} label
 */
const inSentence = (label) => (/^\p{Lu}\p{Ll}/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label);

/**
 * Returns the singular of a plural, or `null` if its ending is ambiguous.
 * @param {string} plural
 * @returns {string | null}
 */
function oneOf(plural) {
  if (/(ss|sh|tch|x)es$/i.test(plural)) return plural.slice(0, -2);
  return /([szov]|ch|i)es$/i.test(plural) ? null : plural.slice(0, -1);
}

/**
 * Splits a label into name and unit: `Weight (kg)` is `Weight` in `kg`.
 * @param {string} label
 * @returns {[string, string]} name and unit, which is empty if the label has no unit
 */
export function withoutUnit(label) {
  const [, what, unit] = /^(.*\S)\s*\(([^()]{1,12})\)$/.exec(label) ?? [];
  return what ? [what, unit] : [label, ''];
}

/**
 * Formats a value with its label.
 * @param {number} value
 * @param {string} label empty if the label is shown elsewhere
 * @param {string} [known] name that the reader already sees, such as the type's name
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
