// Keyboard shortcuts, which are disabled while a field has the focus.

import { h } from './dom.js';
import { openSheet, sheetHead } from './sheet.js';
import { preference } from '../data/preferences.js';
import { redoLast, undoLast } from './toast.js';
import { openLog } from './eventform.js';
import { go } from '../data/navigation.js';
import { texts } from '../texts.js';

const PLACES = {
  t: '/',
  l: '/timeline',
  c: '/calendar',
  i: '/insights',
  r: '/trips',
  m: '/mileage',
  p: '/places',
  d: '/devices',
  s: '/settings',
};
let isGoing = false;
/**
 * Timer that ends a key sequence if no second key is pressed.
 * @type {ReturnType<typeof setTimeout> | undefined}
 */
let going;

export const areSingleKeysOn = () => preference('keys') !== 'off';

/** @param {() => Record<string, (event: KeyboardEvent) => unknown>} ofPage returns the visible page's shortcuts */
export function listenForKeys(ofPage) {
  document.addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    // Escape leaves an empty search field. If the field has text, the browser first clears it.
    if (
      event.key === 'Escape' &&
      target.matches('main input[type=search]') &&
      !(/** @type {HTMLInputElement} */ (target).value)
    ) {
      event.preventDefault();
      return /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn() || document.querySelector('dialog[open]'))
      return;
    if (target.matches('input, select, textarea, [contenteditable]')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (isGoing) {
      isGoing = false;
      const address = PLACES[/** @type {'t'} */ (key)];
      if (address) {
        event.preventDefault();
        go(address);
      }
      return;
    }
    const act = ofPage()[key] ?? actions[key] ?? (/^[1-9]$/.test(key) ? () => press(`[data-tile="${key}"]`) : null);
    if (!act || act(event) === false) return;
    event.preventDefault();
  });
}

/** @param {string} selector */
function press(selector) {
  const element = /** @type {HTMLElement | null} */ (document.querySelector(`main ${selector}`));
  element?.click();
  return Boolean(element);
}

/** @type {Record<string, (event: KeyboardEvent) => unknown>} */
const actions = {
  l: () => openLog(),
  u: (event) => (event.shiftKey ? redoLast() : undoLast()),
  g: () => {
    isGoing = true;
    clearTimeout(going);
    going = setTimeout(() => {
      isGoing = false;
    }, 1500);
  },
  '/': () => {
    const field = /** @type {HTMLElement | null} */ (document.querySelector('main input[type=search]'));
    if (field) field.focus();
    else go('/timeline?find=');
  },
  '?': () => showKeys(),
  '[': () => press('[data-step="-1"]'),
  ']': () => press('[data-step="1"]'),
  '.': () => press('[data-step="0"]'),
  e: () => {
    const focused = document.activeElement;
    const more = /** @type {HTMLElement | null | undefined} */ (focused?.parentElement?.querySelector('.edit'));
    if (focused?.matches('.press') && more) more.click();
    else if (focused?.matches('.row')) focused.dispatchEvent(new Event('edit'));
    else return false;
    return true;
  },
  Delete: () => {
    const row = /** @type {HTMLElement | null} */ (document.activeElement?.closest('.row'));
    if (!row) return false;
    // Move the focus to the neighbouring row, which is found by its key after the redraw.
    const neighbour = row.parentElement?.nextElementSibling ?? row.parentElement?.previousElementSibling;
    /** @type {HTMLElement | null | undefined} */ (neighbour?.querySelector('.row'))?.focus();
    row.dispatchEvent(new Event('delete'));
    return true;
  },
};

export function showKeys() {
  openSheet(texts.keys.title, (_, close) =>
    h(
      'div.content',
      null,
      sheetHead(texts.keys.title, close),
      h(
        'dl.keys',
        null,
        texts.keys.list.map(([keys, does]) => [h('dt', null, h('kbd', null, keys)), h('dd', null, does)]),
      ),
    ),
  );
}
