// A number beside what it counts or measures: `6.2 km`, `5 glasses`, `1 glass`, `Score 4`, `Pulse 62 bpm` of a property
// `Pulse (bpm)`.

import { decimal } from '../locale.js';

const SYMBOLS = new Set(
  'km m cm mm mi ft kg g mg lb lbs oz l dl cl ml kcal cal kj kwh wh min h hr hrs s sec ms bpm rpm mmhg mmol ppm'.split(
    ' ',
  ),
);

/**
 * Signs in it, such as of `km/h` and `%`, make a symbol of a word, too.
 * @param {string} label
 */
const isSymbol = (label) =>
  SYMBOLS.has(label.toLowerCase()) || /^[^\s,:;.()]*[^\p{L}\p{N}\s,:;.()'’-][^\s,:;.()]*$/u.test(label);

/**
 * `progress`, `focus` and `basis` end like one, and are none.
 * @param {string} label
 */
const isPlural = (label) => /\p{L}{2}s$/u.test(label) && !/(ss|us|is)$/.test(label);

/**
 * Within a sentence; `IPAs` stay what they are.
 * @param {string} label
 */
const inSentence = (label) => (/^\p{Lu}\p{Ll}/u.test(label) ? label[0].toLowerCase() + label.slice(1) : label);

/**
 * One of a plural, where its end leaves no doubt.
 * @param {string} plural
 * @returns {string | null}
 */
function oneOf(plural) {
  if (/(ss|sh|tch|x)es$/i.test(plural)) return plural.slice(0, -2);
  return /([szov]|ch|i)es$/i.test(plural) ? null : plural.slice(0, -1);
}

/**
 * A label in two: `Weight (kg)` is `Weight` in `kg`.
 * @param {string} label
 * @returns {[string, string]} what, and its unit, empty for none
 */
export function withoutUnit(label) {
  const [, what, unit] = /^(.*\S)\s*\(([^()]{1,12})\)$/.exec(label) ?? [];
  return what ? [what, unit] : [label, ''];
}

/**
 * @param {number} value
 * @param {string} label of what; empty where that is said elsewhere
 * @param {string} [known] what a reader knows already, such as the name of the type
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
