import { h, onFailure, say } from './dom.js';
import { redo, undo } from '../data/undo.js';
import { Refused, Unreachable } from '../data/api.js';
import { NotRecorded } from '../data/queue.js';
import { reach } from '../data/record.js';
import { texts } from '../texts.js';

/** @type {HTMLElement | null} */
let shown = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @param {string} text
 * @param {boolean} [canUndo]
 */
export function toast(text, canUndo = true) {
  shown?.remove();
  clearTimeout(timer);
  shown = h(
    'div.toast',
    null,
    h('span.words', null, reach.isReached ? text : texts.toast.offline(text)),
    canUndo && h('button', { type: 'button', on: { click: undoLast } }, texts.act.undo),
  );
  // A toast outside an open sheet would be hidden behind the sheet.
  (document.querySelector('dialog[open]') ?? document.body).append(shown);
  say(canUndo ? texts.toast.withUndo(text) : text);
  const hide = () => {
    if (shown?.matches(':hover, :focus-within')) timer = setTimeout(hide, 2000);
    else shown?.remove();
  };
  timer = setTimeout(hide, 8000);
}

/**
 * @param {unknown} error
 */
export function failureText(error) {
  if (error instanceof NotRecorded) return texts.error.notRecorded;
  if (error instanceof Refused) return error.message;
  if (error instanceof Unreachable) return texts.trips.needsHub;
  console.error(error);
  return texts.error.failed;
}

onFailure((error) => {
  toast(failureText(error), false);
  say(failureText(error), true);
});

export async function undoLast() {
  toast((await undo()) === null ? texts.toast.nothing : texts.toast.undone, false);
}

export async function redoLast() {
  if ((await redo()) !== null) toast(texts.toast.redone);
}
