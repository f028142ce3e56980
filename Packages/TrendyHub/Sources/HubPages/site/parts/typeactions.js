// Merging and deleting types. The hub counts and moves the entries.

import { actionForm, h } from './dom.js';
import { field, textField } from './field.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { ask, newId, Refused, Unreachable, versionOf } from '../data/api.js';
import { go } from '../data/navigation.js';
import { withDays } from '../data/days.js';
import { recordStep } from '../data/undo.js';
import { unseenEvents } from '../data/queue.js';
import { isOwnType, remove, types } from '../data/record.js';
import { texts } from '../texts.js';

/** @typedef {Api.EventType} EventType */

/**
 * Reads the record version and a type's number of entries, which is `null` if unknown.
 * @param {Api.EventType} type
 * @returns {Promise<{entries: number | null, seen?: string}>}
 */
async function entriesOf(type) {
  const askedAt = performance.now();
  try {
    const answer = await ask('GET', withDays(`/insights/types/${encodeURIComponent(type.id)}`, { days: 14 }));
    const unseen = unseenEvents(askedAt).reduce(
      (sum, { event, count }) => sum + (event.event_type_id === type.id ? count : 0),
      0,
    );
    return { entries: unseen + (answer.findings?.basis.events ?? 0), seen: versionOf(answer) };
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return { entries: null };
    throw error;
  }
}

/**
 * Asks the user to enter the type's name before deleting it.
 * @param {Api.EventType} type
 */
export function confirmDelete(type) {
  openSheet(texts.type.deleteType, (sheet, close) => {
    const name = textField(texts.type.name, '');
    const button = /** @type {HTMLButtonElement} */ (
      h('button.button.red', { type: 'submit', disabled: true }, texts.type.deleteType)
    );
    name.input.addEventListener('input', () => {
      button.disabled = name.read() !== type.name;
    });
    const about = h('p', { role: 'status' }, texts.type.deleteHint(type.name, null));
    /** @type {string | undefined} */
    let seen;
    entriesOf(type).then((counted) => {
      seen = counted.seen;
      about.textContent = texts.type.deleteHint(type.name, counted.entries);
    });
    const act = async () => {
      const text = texts.toast.deletedOne(type.name);
      if (!(await submit(sheet, close, () => remove('event-types', type, text, seen)))) return;
      toast(text);
      go('/types');
    };
    return h(
      'form',
      {
        on: {
          submit: (/** @type {Event} */ e) => {
            e.preventDefault();
            return button.disabled ? null : act();
          },
        },
      },
      sheetHead(texts.type.deleteType, close),
      about,
      name.element,
      h('footer', null, button, h('button.button', { type: 'button', on: { click: close } }, texts.act.cancel)),
    );
  });
}

/**
 * @param {Api.EventType} type
 */
export const canMerge = (type) => others(type).length > 0;

/** @param {Api.EventType} type */
const others = (type) =>
  types()
    .filter((other) => other.id !== type.id && !isOwnType(other))
    .sort((a, b) => a.name.localeCompare(b.name));

/**
 * Returns groups of types with the same name, created on different devices. A group's first type is kept.
 * @returns {Api.EventType[][]}
 */
export function sameNames() {
  /** @type {Map<string, Api.EventType[]>} */
  const groups = new Map();
  for (const type of types().filter((type) => !isOwnType(type))) {
    const name = type.name.toLowerCase();
    groups.set(name, [...(groups.get(name) ?? []), type]);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

/**
 * Opens the sheet for merging a type into another.
 * @param {Api.EventType} type
 * @param {Api.EventType} [into] initially selected target
 */
export function openMergeType(type, into) {
  openSheet(texts.type.merge, (_, close) => {
    /** @type {number | null} */
    let entries = null;
    const list = others(type);
    const input = /** @type {HTMLSelectElement} */ (
      h(
        'select.input',
        null,
        h('option', { value: '' }, texts.type.mergeChoose),
        list.map((other) => h('option', { value: other.id }, other.name)),
      )
    );
    if (into) input.value = into.id;
    const target = field(texts.type.mergeInto, input, input, () => list.find((other) => other.id === input.value));
    const about = h('p', { role: 'status' });
    const button = /** @type {HTMLButtonElement} */ (
      h('button.button.primary', { type: 'submit' }, texts.type.mergeGo)
    );
    const draw = () => {
      button.disabled = !input.value;
      about.textContent = texts.type.mergeHint(type.name, target.read()?.name ?? '', entries);
    };
    input.addEventListener('change', draw);
    entriesOf(type).then((counted) => {
      entries = counted.entries;
      draw();
    });
    draw();
    const act = newId();
    const save = async () => {
      const into = target.read();
      button.disabled = true;
      about.textContent = texts.type.merging(entries);
      const path = `/event-types/${encodeURIComponent(type.id)}`;
      const body = { into: into.id, act };
      try {
        const { events } = await ask('POST', `${path}/merge`, body);
        close();
        recordStep(
          texts.type.merged(type.name, into.name, events),
          [{ method: 'POST', path: `${path}/unmerge`, kind: 'event-types', id: type.id, after: type, body }],
          [{ method: 'POST', path: `${path}/merge`, kind: 'merges', id: type.id, body }],
        );
        toast(texts.type.merged(type.name, into.name, events));
        go(`/types/${encodeURIComponent(into.id)}`);
      } catch (error) {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
        target.wrong(error instanceof Unreachable ? texts.trips.needsHub : error.message);
        draw();
      }
    };
    queueMicrotask(() => input.focus());
    return actionForm(
      () => (button.disabled ? null : save()),
      sheetHead(texts.type.merge, close),
      target.element,
      about,
      h('footer', null, button, h('button.button', { type: 'button', on: { click: close } }, texts.act.cancel)),
    );
  });
}
