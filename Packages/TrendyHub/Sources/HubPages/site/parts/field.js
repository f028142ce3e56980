import { h } from './dom.js';
import { glyph } from './glyph.js';
import { localText, midnightText, momentOf, offsetOf, offsetsOf } from '../data/days.js';
import { numberSign, zoneText } from '../locale.js';
import { texts } from '../texts.js';

let counter = 0;
/** Creates an id that is unique on the page. */
export const uniqueId = () => `f${++counter}`;

/**
 * A form field. `read` returns the value, or throws the text of an error message.
 * @typedef {{element: HTMLElement, input: FieldInput, read: () => any, wrong: (text: string | null) => void}} Field
 * @typedef {HTMLElement & {value?: string}} FieldInput
 */

/**
 * @param {string} label
 * @param {HTMLElement} control
 * @param {FieldInput} input element that has the label, the focus and the error
 * @param {() => any} read
 * @param {string} [hint]
 * @returns {Field}
 */
export function field(label, control, input, read, hint = '') {
  const id = uniqueId();
  input.id = id;
  const note = h('p.hint', { id: `${id}n` }, hint);
  note.hidden = !hint;
  if (hint) input.setAttribute('aria-describedby', `${id}n`);
  const element = h('div.field', null, h('label', { for: id }, label), control, note);
  return {
    element,
    input,
    read,
    wrong(text) {
      note.className = text ? 'wrong' : 'hint';
      note.textContent = text ?? hint;
      note.hidden = !(text ?? hint);
      if (text) {
        input.setAttribute('aria-invalid', 'true');
        input.setAttribute('aria-describedby', `${id}n`);
      } else input.removeAttribute('aria-invalid');
    },
  };
}

/**
 * Returns a field that shows a few options as segments.
 * @param {string} label
 * @param {[string, string][]} options pairs of value and text
 * @param {string} value
 * @returns {Field}
 */
export function choice(
  label,
  options,
  value,
  /** @type {((value: string) => void) | undefined} */ onChange = undefined,
) {
  const name = uniqueId();
  const box = h(
    'div.segments',
    { role: 'radiogroup', 'aria-label': label },
    options.map(([option, text]) =>
      h(
        'label',
        null,
        h('input', {
          type: 'radio',
          name,
          value: option,
          checked: option === value,
          on: { change: () => onChange?.(option) },
        }),
        text,
      ),
    ),
  );
  const read = () => /** @type {HTMLInputElement | null} */ (box.querySelector('input:checked'))?.value ?? '';
  const element = h('div.field', null, h('span.label', { 'aria-hidden': 'true' }, label), h('div', null, box));
  return { element, input: /** @type {HTMLElement} */ (box.querySelector('input')), read, wrong() {} };
}

/**
 * @param {string} label
 * @param {boolean} value
 * @param {string} [hint]
 * @param {(value: boolean) => void} [onChange]
 * @returns {Field}
 */
export function toggle(label, value, hint = '', onChange = () => {}) {
  const input = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox', role: 'switch', checked: value }));
  input.addEventListener('change', () => onChange(input.checked));
  const element = h(
    'div.field',
    null,
    h('label.switch', null, input, h('span', null, label)),
    hint && h('p.hint', null, hint),
  );
  return { element, input, read: () => input.checked, wrong() {} };
}

/**
 * @param {string} label
 * @param {string} value
 * @param {import('./dom.js').Attributes} [attributes]
 * @param {string} [hint]
 * @returns {Field}
 */
export function textField(label, value, attributes = {}, hint = '') {
  const input = /** @type {HTMLInputElement} */ (
    h('input.input', { type: 'text', autocomplete: 'off', value, ...attributes })
  );
  return field(label, input, input, () => input.value.trim(), hint);
}

const SIGN = numberSign('decimal') || '.';
const GROUP = numberSign('group');
/** Digits of the browser's locale, which users may type. */
const DIGITS = Array.from({ length: 10 }, (_, i) => new Intl.NumberFormat(undefined, { useGrouping: false }).format(i));

/**
 * Parses a number in the page's locale. `1,120` is 1120 if a comma separates groups.
 * @param {string} text
 * @param {boolean} [hasGroups] false for small numbers such as coordinates
 * @returns {number} NaN if the text is invalid
 */
export function parseNumber(text, hasGroups = true) {
  let plain = [...text.trim()]
    .map((sign) => {
      const digit = DIGITS.indexOf(sign);
      return digit < 0 ? sign : String(digit);
    })
    .join('')
    .replace(/[\s'’\u00a0\u202f\u200e\u200f\u061c]/g, '')
    .replace('−', '-')
    .replace('٫', SIGN)
    .replaceAll('٬', GROUP);
  // If both separators occur, the last one separates the decimals, as in `1.120,5`.
  if (/^[-+]?\d{1,3}((\.\d{3})+,|(,\d{3})+\.)\d+$/.test(plain))
    return Number(plain.replace(/[.,](?=.*[.,])/g, '').replace(',', '.'));
  const [whole, ...rest] = plain.split(SIGN);
  if (hasGroups && GROUP && rest.length < 2 && isGrouped(whole))
    plain = [whole.replaceAll(GROUP, ''), ...rest].join('.');
  else plain = plain.replace(SIGN, '.').replace(',', '.');
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/**
 * Returns whether a whole number's groups have three digits. Groups before the last may have two, as in India.
 * @param {string} text
 */
function isGrouped(text) {
  const parts = text.replace(/^[-+]/, '').split(GROUP);
  return (
    parts.length > 1 &&
    /^[1-9]\d{0,2}$/.test(parts[0]) &&
    parts.slice(1).every((part, i) => (i === parts.length - 2 ? /^\d{3}$/ : /^\d{2,3}$/).test(part))
  );
}

/** @param {number | null | undefined} value */
export const numberText = (value) => (value === null || value === undefined ? '' : String(value).replace('.', SIGN));

/**
 * Returns a menu of entities by name. Its `read` returns the selected entity or `null`.
 * @param {string} label
 * @param {{id: string, name: string}[]} list
 * @param {string} none text of a first option that means no entity, or empty to omit that option
 * @param {string} [value] id of the selected entity
 */
export function menu(label, list, none, value = '') {
  const input = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      null,
      none && h('option', { value: '' }, none),
      list.map((one) => h('option', { value: one.id, selected: one.id === value }, one.name)),
    )
  );
  return field(label, input, input, () => list.find((one) => one.id === input.value) ?? null);
}

/** Matches hours, minutes and seconds with their units. Minutes at the end may lack a unit. */
const LENGTH = new RegExp(
  [
    /^(?:(\d+(?:\.\d+)?)\s*h(?:ours?|rs?)?)?\s*/,
    /(?:(\d+(?:\.\d+)?)\s*m(?:in(?:utes?|s)?)?|(\d+)(?=$))?\s*/,
    /(?:(\d+(?:\.\d+)?)\s*s(?:ec(?:onds?|s)?)?)?$/,
  ]
    .map((part) => part.source)
    .join(''),
);

/**
 * Parses a duration such as `1h30m`, `1:30`, `90` (minutes) or `45 min`. Returns seconds, or NaN if it is invalid.
 * @param {string} text
 */
function parseLength(text) {
  const plain = text.trim().toLowerCase().replace(',', '.');
  const clock = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/.exec(plain);
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3] ?? 0);
  if (/^\d+(\.\d+)?$/.test(plain)) return Number(plain) * 60;
  const parts = LENGTH.exec(plain);
  if (!parts || !plain || !parts.slice(1).some(Boolean)) return NaN;
  return Number(parts[1] ?? 0) * 3600 + Number(parts[2] ?? parts[3] ?? 0) * 60 + Number(parts[4] ?? 0);
}

/** @param {number} seconds */
function lengthText(seconds) {
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    Math.round((seconds % 60) * 1000) / 1000,
  ];
  return [hours && `${hours}h`, minutes && `${minutes}m`, rest && `${rest}s`].filter(Boolean).join(' ') || '0m';
}

/**
 * Returns a field for a property. Its `read` returns the value in wire format, or `null`.
 * @param {Api.PropertyDefinition} definition
 * @param {Api.Property | undefined} old
 * @returns {Field}
 */
export function propertyField(definition, old) {
  const { label, options } = definition;
  const type = definition.property_type;
  const wrap = (/** @type {unknown} */ value) => (value === '' || value === null ? null : { type, value });
  const value = old?.value;
  switch (type) {
    case 'boolean':
      return withRead(
        choice(
          label,
          [
            ['', texts.form.none],
            ['true', texts.form.yes],
            ['false', texts.form.no],
          ],
          value === true ? 'true' : value === false ? 'false' : '',
        ),
        (text) => (text === '' ? null : { type, value: text === 'true' }),
      );
    case 'number': {
      if (options?.length)
        return choiceOf(label, options, numberText(value), (text) =>
          text === '' ? null : { type, value: parseNumber(text) },
        );
      const input = /** @type {HTMLInputElement} */ (
        h('input.input.narrow', { type: 'text', inputmode: 'decimal', autocomplete: 'off', value: numberText(value) })
      );
      const step = (/** @type {number} */ by) => () => {
        const now = parseNumber(input.value || '0');
        if (Number.isNaN(now)) return;
        input.value = numberText(Math.round((now + by) * 1e9) / 1e9);
        input.dispatchEvent(new Event('input', { bubbles: true }));
      };
      const control = h(
        'div.pair',
        null,
        h(
          'button.button.square',
          { type: 'button', 'aria-label': texts.form.decrease(label), on: { click: step(-1) } },
          glyph('minus', '.s16'),
        ),
        input,
        h(
          'button.button.square',
          { type: 'button', 'aria-label': texts.form.increase(label), on: { click: step(1) } },
          glyph('plus', '.s16'),
        ),
      );
      return field(label, control, input, () => {
        if (!input.value.trim()) return null;
        const number = parseNumber(input.value);
        if (!Number.isFinite(number)) throw texts.form.badNumber;
        return { type, value: number };
      });
    }
    case 'select':
      return choiceOf(label, options ?? [], typeof value === 'string' ? value : '', wrap);
    case 'duration': {
      const input = /** @type {HTMLInputElement} */ (
        h('input.input', {
          type: 'text',
          autocomplete: 'off',
          placeholder: texts.form.durationExample,
          value: typeof value === 'number' ? lengthText(value) : '',
        })
      );
      return field(label, input, input, () => {
        if (!input.value.trim()) return null;
        const seconds = parseLength(input.value);
        if (Number.isNaN(seconds)) throw texts.form.badDuration;
        return { type, value: seconds };
      });
    }
    case 'date': {
      const isDay = typeof value !== 'string' || value.length === 10 || /T00:00:00/.test(value);
      const moment = typeof value === 'string' ? new Date(value) : null;
      const text = !moment || Number.isNaN(moment.getTime()) ? '' : isDay ? value.slice(0, 10) : localText(moment);
      const input = /** @type {HTMLInputElement} */ (
        h('input.input', { type: isDay ? 'date' : 'datetime-local', value: text })
      );
      const which = occurrence(input, moment);
      const control = h('div', null, input, which.element);
      return field(label, control, input, () => {
        if (!input.value) return null;
        return { type, value: isDay ? midnightText(input.value) : which.read().toISOString() };
      });
    }
    default: {
      const kinds = { url: 'url', email: 'email' };
      const input = /** @type {HTMLInputElement} */ (
        h('input.input', {
          type: kinds[/** @type {'url'} */ (type)] ?? 'text',
          autocomplete: 'off',
          value: value === undefined || value === null ? '' : String(value),
        })
      );
      return field(label, input, input, () => {
        const text = input.value.trim();
        if (text && type === 'url' && !/^https?:\/\//i.test(text)) throw texts.form.badLink;
        return wrap(text);
      });
    }
  }
}

/**
 * @param {Field} of
 * @param {(value: any) => unknown} change
 * @returns {Field}
 */
const withRead = (of, change) => ({ ...of, read: () => change(of.read()) });

/**
 * Returns a field that shows up to five options as segments, and more as a menu.
 * @param {string} label
 * @param {string[]} options
 * @param {string} value
 * @param {(text: string) => unknown} wrap
 */
function choiceOf(label, options, value, wrap) {
  const all = value && !options.includes(value) ? [...options, value] : options;
  if (all.length <= 5 && all.join('').length < 34)
    return withRead(
      choice(
        label,
        [['', texts.form.none], ...all.map((option) => /** @type {[string, string]} */ ([option, option]))],
        value,
      ),
      wrap,
    );
  const input = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      null,
      h('option', { value: '' }, texts.form.none),
      all.map((option) => h('option', { value: option, selected: option === value }, option)),
    )
  );
  return field(label, input, input, () => wrap(input.value));
}

/**
 * Returns a field for a moment. Its `read` returns an invalid `Date` if the input is invalid.
 * @param {string} label
 * @param {Date} moment
 * @returns {Field}
 */
export function momentField(label, moment) {
  const input = /** @type {HTMLInputElement} */ (
    h('input.input', { type: 'datetime-local', value: localText(moment) })
  );
  const which = occurrence(input, moment);
  return field(label, h('div', null, input, which.element), input, which.read);
}

/**
 * Returns a menu of the two moments of a local time that a clock change repeats. Hidden for all other times.
 * @param {HTMLInputElement} input field with date and time
 * @param {Date | null} moment initial moment
 */
export function occurrence(input, moment) {
  const select = /** @type {HTMLSelectElement} */ (h('select.input', { 'aria-label': texts.form.occurrence }));
  const element = h('div.offset');
  const draw = () => {
    const offsets = input.type === 'datetime-local' ? offsetsOf(input.value) : [];
    const chosen = select.value || (moment ? offsetOf(moment) : '');
    const names = [texts.form.firstTime, texts.form.secondTime];
    const option = (/** @type {string} */ offset, /** @type {number} */ i) =>
      h('option', { value: offset, selected: offset === chosen }, names[i]?.(offset) ?? offset);
    select.replaceChildren(...offsets.map(option));
    element.hidden = offsets.length < 2;
    element.replaceChildren(...(element.hidden ? [] : [select]));
  };
  for (const name of ['input', 'change']) input.addEventListener(name, draw);
  draw();
  const offset = () => (element.hidden ? '' : select.value);
  return { element, draw, offset, read: () => momentOf(input.value, undefined, offset()) };
}

/**
 * @param {string} label
 * @param {string} value
 * @param {[string, string][]} first options before the zones, as value and text
 * @param {string} key identifies the field, to restore the focus after a redraw
 * @param {(name: string) => void} change
 * @param {string} [hint]
 * @returns {Field}
 */
export function zoneField(label, value, first, key, change, hint = '') {
  const names = [
    ...new Set([
      ...(value && !first.some(([name]) => name === value) ? [value] : []),
      ...(Intl.supportedValuesOf?.('timeZone') ?? []),
      'UTC',
    ]),
  ].sort();
  const all = [...first, ...names.map((name) => /** @type {[string, string]} */ ([name, zoneText(name)]))];
  const select = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      { dataset: { key } },
      all.map(([name, text]) => h('option', { value: name, selected: name === value }, text)),
    )
  );
  select.addEventListener('change', () => change(select.value));
  const made = field(label, select, select, () => select.value, hint);
  made.element.classList.add('zone');
  return made;
}
