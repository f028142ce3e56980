import { h } from './dom.js';
import { glyph } from './glyph.js';
import { failureText } from './toast.js';
import { onBack } from '../data/navigation.js';
import { texts } from '../texts.js';

/** @typedef {HTMLDialogElement & {isChanged?: boolean, isBusy?: boolean}} Sheet */

/**
 * Closes the topmost sheet and returns whether one was open.
 * @type {(() => boolean) | null}
 */
let closeTop = null;
onBack(() => closeTop?.() ?? false);
// Have the browser ask for confirmation before unsaved changes are lost.
window.addEventListener('beforeunload', (event) => {
  if ([...document.querySelectorAll('dialog[open]')].some((sheet) => /** @type {Sheet} */ (sheet).isChanged))
    event.preventDefault();
});

/**
 * Opens a sheet over the page. If nothing has been changed, Escape or a press outside closes it.
 * @param {string} title
 * @param {(sheet: Sheet, close: () => void) => Node} build
 */
export function openSheet(title, build) {
  const opener = /** @type {HTMLElement | null} */ (document.activeElement);
  const below = closeTop;
  const sheet = /** @type {Sheet} */ (h('dialog.sheet', { 'aria-label': title }));
  // The close event fires later, when another sheet may already be open.
  const close = () => {
    sheet.close();
    leave();
  };
  const leave = () => {
    if (!sheet.isConnected) return;
    closeTop = below;
    // Move a toast from the sheet to the page.
    const toast = sheet.querySelector('.toast');
    if (toast) document.body.append(toast);
    sheet.remove();
    focusAgain(opener);
  };
  sheet.append(build(sheet, close));
  const mayClose = () => {
    if (!sheet.isChanged) return true;
    const bar = sheet.querySelector('.unsaved');
    if (bar) {
      /** @type {HTMLElement} */ (bar.querySelector('button')).focus();
      return false;
    }
    const keep = h('button.button', { type: 'button', on: { click: () => box.remove() } }, texts.act.keepEditing);
    const box = h(
      'div.problem.unsaved',
      { role: 'alert' },
      h('p', null, texts.form.unsaved),
      h('div.actions', null, keep, h('button.button.red', { type: 'button', on: { click: close } }, texts.act.discard)),
    );
    sheet.firstElementChild?.prepend(box);
    keep.focus();
    sheet.scrollTop = 0;
    return false;
  };
  sheet.addEventListener('cancel', (event) => {
    if (!mayClose()) event.preventDefault();
  });
  sheet.addEventListener('mousedown', (event) => {
    const box = sheet.getBoundingClientRect();
    const isBeside =
      event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
    if (event.target === sheet && isBeside && mayClose()) close();
  });
  sheet.addEventListener('input', () => {
    sheet.isChanged = true;
  });
  sheet.addEventListener('keydown', (event) => {
    const form = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && sheet.querySelector('form');
    if (!form) return;
    event.preventDefault();
    form.requestSubmit();
  });
  sheet.addEventListener('close', leave);
  closeTop = () => {
    if (mayClose()) close();
    return true;
  };
  document.body.append(sheet);
  sheet.showModal();
  return sheet;
}

/**
 * Runs a form's action and closes its sheet. If the action fails, the form stays open and shows the error.
 * @param {HTMLDialogElement & {isBusy?: boolean}} sheet
 * @param {() => void} close
 * @param {() => Promise<unknown>} action
 * @returns {Promise<boolean>} whether the action succeeded
 */
export async function submit(sheet, close, action) {
  if (sheet.isBusy) return false;
  sheet.isBusy = true;
  sheet.querySelector('.failed')?.remove();
  try {
    await action();
    close();
    return true;
  } catch (error) {
    const box = h('div.problem.failed', { role: 'alert' }, h('p', null, failureText(error)));
    sheet.firstElementChild?.prepend(box);
    sheet.scrollTop = 0;
    return false;
  } finally {
    sheet.isBusy = false;
  }
}

/**
 * Returns the focus to the element that opened the sheet, or to its replacement after a redraw.
 * @param {HTMLElement | null} opener
 */
function focusAgain(opener) {
  if (opener?.isConnected) return opener.focus();
  const key = opener?.dataset.key;
  const again = key && document.querySelector(`main [data-key="${CSS.escape(key)}"]`);
  /** @type {HTMLElement | null} */ (again || document.querySelector('main h1'))?.focus();
}

/**
 * @param {string} title
 * @param {() => void} close
 * @param {Node | null} [before]
 */
export const sheetHead = (title, close, before = null) =>
  h(
    'header',
    null,
    before,
    h('h2', null, title),
    h('button.button.square.plain', { type: 'button', 'aria-label': texts.act.close, on: { click: close } }, cross()),
  );

function cross() {
  const plus = glyph('plus');
  plus.style.setProperty('transform', 'rotate(45deg)');
  return plus;
}
