import { h } from './dom.js';
import { glyph } from './glyph.js';
import { openLog } from './eventform.js';
import { texts } from '../texts.js';

/**
 * Returns the page unchanged. Lets the type checker infer the page's types.
 * @template Data
 * @param {import('../app.js').PageOf<Data>} page
 * @returns {import('../app.js').Page}
 */
export const definePage = (page) => page;

/**
 * Returns a page's header with title, sentence and actions.
 * @param {string} title
 * @param {Child} sentence
 * @param {Child} [actions]
 * @param {Node | null} [before]
 */
export const head = (title, sentence, actions = [], before = null) =>
  h(
    'header.head',
    null,
    before,
    h(
      'div.words',
      null,
      h('h1', { tabindex: -1, dataset: { key: 'title' } }, title),
      sentence && h('p', null, sentence),
    ),
    h('div.actions', null, actions),
  );

/** @param {() => void} [act] by default opens the list of types */
export const logButton = (act = () => openLog()) =>
  h(
    'button.button.primary.log',
    { type: 'button', 'aria-label': texts.act.log, dataset: { key: 'log' }, on: { click: act } },
    glyph('plus', '.s16'),
    h('span.text', null, texts.act.log),
    h('kbd', { 'aria-hidden': 'true' }, 'L'),
  );

/**
 * Returns a button that leads to an earlier or later period.
 * @param {string} label
 * @param {number} step
 * @param {() => void} act
 */
export const stepButton = (label, step, act) =>
  h(
    'button.button.square',
    { type: 'button', 'aria-label': label, dataset: { step: String(step), key: `step${step}` }, on: { click: act } },
    glyph(step < 0 ? 'left' : 'right', '.s16'),
  );

/**
 * @param {string} label
 * @param {[string, string][]} options
 * @param {string} value
 * @param {(value: string) => void} act
 */
export const segments = (label, options, value, act) =>
  h(
    'div.segments',
    { role: 'group', 'aria-label': label },
    options.map(([option, text]) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(option === value),
          dataset: { key: `${label}-${option}` },
          on: { click: () => act(option) },
        },
        text,
      ),
    ),
  );
