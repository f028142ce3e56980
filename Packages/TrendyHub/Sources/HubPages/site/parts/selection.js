// Selection of several rows, and actions on all of them. Each action is one undo step.

import { actionForm, fill, h } from './dom.js';
import { choice, menu, propertyField, zoneField } from './field.js';
import { openSheet, sheetHead, submit } from './sheet.js';
import { toast } from './toast.js';
import { asOneStep } from '../data/undo.js';
import { drawAgain } from '../data/navigation.js';
import { change, definitions, isOwnType, remove, typeOf, types } from '../data/record.js';
import { inZone, zone } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * Ids of the selected events, or `null` while no selection is in progress, so that pressing a row opens it.
 * @type {Set<string> | null}
 */
let chosen = null;
/** URL of the list with the selection. */
let listAt = '';

/** @param {string | null} address list in which to select, or `null` to end the selection */
function select(address) {
  chosen = address === null ? null : new Set();
  listAt = address ?? '';
  drawAgain();
}

/** Ends the selection. Returns false if there was none. */
export const endSelection = () => (chosen ? select(null) : false);

/**
 * Returns the state of the selection in the list at a URL.
 * @param {string} address
 * @param {Api.Event[]} list displayed events
 */
export function selectionOf(address, list) {
  if (chosen && listAt !== address) chosen = null;
  const ids = chosen;
  const selected = ids ? list.filter((event) => ids.has(event.id)) : [];
  return {
    isOn: ids !== null,
    /** Button that starts a selection, or the actions for the selected rows. */
    bar: ids ? actions(list, selected, ids) : list.length > 0 && beginButton(address),
    /**
     * Returns the state of a row during a selection, otherwise `null`.
     * @param {Api.Event} event
     */
    row: (event) =>
      ids && {
        isOn: ids.has(event.id),
        toggle: () => {
          if (!ids.delete(event.id)) ids.add(event.id);
          drawAgain();
        },
        erase: () => eraseAll(selected.length ? selected : [event]),
      },
  };
}

/** @param {string} address */
const beginButton = (address) =>
  h(
    'button.link.select',
    { type: 'button', dataset: { key: 'select' }, on: { click: () => select(address) } },
    texts.selection.begin,
  );

/**
 * @param {Api.Event[]} list
 * @param {Api.Event[]} selected
 * @param {Set<string>} ids
 */
function actions(list, selected, ids) {
  const isAll = selected.length === list.length;
  const act = (/** @type {string} */ key, /** @type {string} */ text, /** @type {() => void} */ click, kind = '') =>
    h(
      `button.button${kind}`,
      { type: 'button', disabled: selected.length === 0, dataset: { key }, on: { click } },
      text,
    );
  return h(
    'div.selection',
    { role: 'group', 'aria-label': texts.selection.actions },
    h(
      'label',
      null,
      h('input', {
        type: 'checkbox',
        checked: isAll,
        dataset: { key: 'select-all' },
        on: {
          change: () => {
            for (const event of list) isAll ? ids.delete(event.id) : ids.add(event.id);
            drawAgain();
          },
        },
      }),
      texts.timeline.all,
    ),
    h('b', { role: 'status' }, texts.selection.count(selected.length)),
    act('select-type', texts.data.type, () => openTypeOf(selected)),
    act('select-zone', texts.settings.zone, () => openZoneOf(selected)),
    act('select-property', texts.selection.property, () => openPropertyOf(selected)),
    act('select-delete', texts.act.delete, () => eraseAll(selected), '.red'),
    h(
      'button.button.plain',
      { type: 'button', dataset: { key: 'select' }, on: { click: endSelection } },
      texts.first.done,
    ),
  );
}

/** @param {Api.Event[]} list */
async function eraseAll(list) {
  const text = texts.selection.deleted(list.length);
  await asOneStep(text, async () => {
    for (const event of list) await remove('events', event, text);
  });
  endSelection();
  toast(text);
}

/**
 * Changes every event for which there is a patch.
 * @param {Api.Event[]} list
 * @param {(event: Api.Event) => Api.Patch | null} patchOf
 */
async function changeAll(list, patchOf) {
  const edits = list.flatMap((event) => {
    const patch = patchOf(event);
    return patch ? [{ event, patch }] : [];
  });
  const text = texts.selection.changed(edits.length);
  await asOneStep(text, async () => {
    for (const { event, patch } of edits) await change('events', event, patch, text);
  });
  endSelection();
  toast(text, edits.length > 0);
}

/**
 * Opens a form whose values apply to all selected events.
 * @param {string} title
 * @param {number} n number of events
 * @param {Child} content
 * @param {() => import('./field.js').Field | null} field returns the field whose value is applied
 * @param {(value: any) => Promise<void>} act receives the value
 */
function openForm(title, n, content, field, act) {
  openSheet(title, (sheet, close) => {
    const save = async () => {
      const of = field();
      if (!of) return close();
      of.wrong(null);
      /** @type {any} */
      let value;
      try {
        value = of.read();
      } catch (text) {
        of.wrong(String(text));
        return of.input.focus();
      }
      await submit(sheet, close, () => act(value));
    };
    return actionForm(
      save,
      sheetHead(title, close),
      h('p.small.quiet', null, texts.selection.applies(n)),
      content,
      h('footer', null, h('button.button.primary', { type: 'submit' }, texts.act.save)),
    );
  });
}

/**
 * Returns a menu of the types that users log.
 * @param {string} [value] id of the selected type
 */
export const typeMenu = (value = '') =>
  menu(
    texts.data.type,
    types()
      .filter((type) => !isOwnType(type))
      .sort((a, b) => a.name.localeCompare(b.name)),
    '',
    value,
  );

/** @param {Api.Event[]} list */
function openTypeOf(list) {
  const type = typeMenu();
  const movable = list.filter((event) => !isOwnType(typeOf(event.event_type_id)));
  openForm(
    texts.selection.type,
    movable.length,
    [type.element, movable.length < list.length && h('p.small.quiet', null, texts.selection.keepType)],
    () => type,
    ({ id }) => changeAll(movable, (event) => (event.event_type_id === id ? null : { event_type_id: id })),
  );
}

/** @param {Api.Event[]} list */
function openZoneOf(list) {
  const field = zoneField(texts.settings.zone, zone(), [], 'select-zone', () => {});
  const keep = choice(
    texts.selection.keep,
    [
      ['clock', texts.selection.keepClock],
      ['moment', texts.selection.keepMoment],
    ],
    'clock',
  );
  openForm(
    texts.selection.zone,
    list.length,
    [field.element, keep.element],
    () => field,
    (name) => changeAll(list, (event) => inZone(event, name, keep.read() === 'clock')),
  );
}

/** @param {Api.Event[]} list */
function openPropertyOf(list) {
  const [first, ...others] = [...new Set(list.map((event) => event.event_type_id))].map(definitions);
  // A property is shared by several types if it has the same key and kind in each.
  const shared = first.filter((one) =>
    others.every((all) => all.some((two) => two.key === one.key && two.property_type === one.property_type)),
  );
  const which = menu(
    texts.selection.property,
    shared.map((definition) => ({ id: definition.id, name: definition.label })),
    '',
  );
  const box = h('div.contents');
  /** @type {import('./field.js').Field | null} */
  let value = null;
  const draw = () => {
    const definition = shared.find((one) => one.id === which.input.value);
    value = definition ? propertyField(definition, undefined) : null;
    fill(box, value?.element);
  };
  which.input.addEventListener('change', draw);
  draw();
  openForm(
    texts.selection.setProperty,
    list.length,
    shared.length ? [which.element, box] : h('p', null, texts.selection.noProperty),
    () => value,
    async (/** @type {Api.Property | null} */ set) => {
      const key = shared.find((one) => one.id === which.input.value)?.key ?? '';
      await changeAll(list, (event) => {
        const old = event.properties?.[key]?.value ?? null;
        return JSON.stringify(old) === JSON.stringify(set?.value ?? null) ? null : { properties: { [key]: set } };
      });
    },
  );
}
