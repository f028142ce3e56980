// First run: three steps for a user without types. Each step can be skipped.

import { h } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { head } from '../parts/pagehead.js';
import { importForm } from '../parts/importform.js';
import { toast } from '../parts/toast.js';
import { openType } from '../parts/typeform.js';
import { PALETTE } from '../parts/colour.js';
import { newId } from '../data/api.js';
import { again } from '../data/navigation.js';
import { asOneStep } from '../data/undo.js';
import { setTabPreference, tabPreference } from '../data/preferences.js';
import { create } from '../data/record.js';
import { texts } from '../texts.js';

const NAME = 'first-step';
const named = texts.first.templates;

/**
 * Templates for first types: name, colour, icon, and properties (key, label, kind and options).
 * @type {[string, string, string, [string, string, string, string[]?][]][]}
 */
const TEMPLATES = [
  [named.mood, 'amber', 'smile', [['mood', named.mood, 'select', named.moods]]],
  [
    named.coffee,
    'clay',
    'cup',
    [
      ['count', named.cups, 'number'],
      ['size', named.size, 'select', named.sizes],
    ],
  ],
  [named.medication, 'jade', 'pill', [['dose', named.dose, 'text']]],
  [named.workout, 'olive', 'dumbbell', [['duration', named.duration, 'duration']]],
  [named.water, 'sky', 'drop', []],
  [named.sleep, 'violet', 'moon', []],
  [named.reading, 'plum', 'book', [['pages', named.pages, 'number']]],
  [named.journal, 'slate', 'pencil', []],
];
/**
 * Indices of the selected templates.
 * @type {Set<number>}
 */
const chosen = new Set([0, 1]);

/**
 * Returns this tab's step: 1 to 3, or 0 after the last step or after skipping.
 * @param {boolean} hasTypes
 */
export function firstStep(hasTypes) {
  const step = Number(tabPreference(NAME) ?? (hasTypes ? 0 : 1));
  // An undo may have removed all types.
  return step === 2 && !hasTypes ? 1 : step;
}

/** Step currently displayed. */
let drawn = 0;

/**
 * Moves the focus to the heading if the step has changed.
 * @param {number} step 0 after the last step
 */
export function begins(step) {
  if (drawn && drawn !== step)
    queueMicrotask(() => /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus());
  drawn = step;
}

/** @param {number} step 0 for none */
function turnTo(step) {
  setTabPreference(NAME, String(step));
  again();
}

/** @param {boolean} hasOwn whether the user has created types */
async function begin(hasOwn) {
  if (!chosen.size && hasOwn) return turnTo(2);
  if (chosen.size) setTabPreference(NAME, '2');
  await makeChosen();
}

/** Opens the form for a custom type, which does not end the step. */
function makeOwn() {
  setTabPreference(NAME, '1');
  openType(null);
}

async function makeChosen() {
  if (!chosen.size) return toast(texts.first.choose, false);
  await asOneStep(texts.first.go, async () => {
    for (const i of [...chosen].sort((a, b) => a - b)) {
      const [name, colour, icon, properties] = TEMPLATES[i];
      const type = await create(
        'event-types',
        { id: newId(), name, color: PALETTE.find((entry) => entry.name === colour)?.mark, icon },
        name,
      );
      let order = 0;
      for (const [key, label, kind, options] of properties) {
        await create(
          'property-definitions',
          {
            id: newId(),
            event_type_id: type.id,
            key,
            label,
            property_type: kind,
            display_order: order++,
            ...(options ? { options } : {}),
          },
          name,
        );
      }
    }
  });
  again();
}

/**
 * @param {string} text
 * @param {() => void} act
 * @param {string} [classes]
 */
const button = (text, act, classes = '') =>
  h(`button.button${classes}`, { type: 'button', dataset: { key: `first-${text}` }, on: { click: act } }, text);

/**
 * Returns the templates to choose from.
 * @param {Api.EventType[]} [own] the user's existing types
 */
const templates = (own = []) =>
  h(
    'div.templates',
    null,
    TEMPLATES.map(([name, colour, icon], i) =>
      h(
        'label',
        null,
        disc({ name, color: PALETTE.find((entry) => entry.name === colour)?.mark ?? '', icon }, 28),
        name,
        h('input', {
          type: 'checkbox',
          checked: chosen.has(i),
          dataset: { key: `template-${i}` },
          on: {
            change: (/** @type {Event} */ e) => {
              if (/** @type {HTMLInputElement} */ (e.target).checked) chosen.add(i);
              else chosen.delete(i);
            },
          },
        }),
      ),
    ),
    own.map((type) =>
      h(
        'button',
        { type: 'button', dataset: { key: `own-${type.id}` }, on: { click: () => openType(type) } },
        disc(type, 28),
        type.name,
        glyph('check', '.s16'),
      ),
    ),
  );

/** Returns the choice of templates for users who skipped the steps. */
export const chooseTypes = () =>
  h(
    'div.settings',
    null,
    h('p', null, texts.today.noTypes),
    templates(),
    h('div', null, button(texts.first.go, makeChosen, '.primary')),
  );

/**
 * @param {number} step
 * @param {string} title
 * @param {string} sentence
 * @param {Child} body
 * @param {Node[]} acts
 */
const page = (step, title, sentence, body, acts) =>
  h(
    'div.page.settings.first-step',
    null,
    head(title, sentence),
    body,
    h(
      'div.pair',
      null,
      acts,
      button(texts.first.skip, () => turnTo(0), '.plain'),
      h('span.small.quiet', null, texts.first.step(step)),
    ),
  );

/**
 * Returns a step's page.
 * @param {number} step 1 to 3
 * @param {Api.EventType[]} types existing types
 * @param {Child} tiles
 * @param {Api.Event[]} logged today's entries
 * @param {Api.Import[]} imports imports listed by the hub
 */
export function drawFirst(step, types, tiles, logged, imports) {
  if (step === 1) {
    return page(1, texts.first.title, texts.first.hint, templates(types), [
      button(texts.first.go, () => begin(types.length > 0), '.primary'),
      button(texts.first.own, makeOwn),
    ]);
  }
  if (step === 2)
    return page(2, texts.first.log, texts.first.logHint, tiles, [
      button(texts.first.next, () => turnTo(3), logged.length ? '.primary' : ''),
    ]);
  return page(3, texts.first.history, texts.first.historyHint, importForm(imports), [
    button(imports.some((entry) => entry.import) ? texts.first.done : texts.first.later, () => turnTo(0)),
  ]);
}
