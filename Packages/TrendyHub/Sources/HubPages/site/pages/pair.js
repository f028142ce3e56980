// Pairing, the only page for an unpaired browser.

import { actionForm, h } from '../parts/dom.js';
import { glyph } from '../parts/glyph.js';
import { download } from '../parts/chart.js';
import { field } from '../parts/field.js';
import { ask, Refused, Unreachable } from '../data/api.js';
import { storedSession } from '../data/preferences.js';
import { reach } from '../data/record.js';
import { texts } from '../texts.js';

const mark = () => h('div.mark', { 'aria-hidden': 'true' }, glyph('insightsMark'), 'Trendy');

/** @param {string} text */
export function command(text) {
  const button = h(
    'button.button',
    {
      type: 'button',
      on: {
        click: async () => {
          await navigator.clipboard?.writeText(text).catch(() => {});
          button.textContent = texts.act.copied;
        },
      },
    },
    texts.act.copy,
  );
  return h('div.command', null, h('span', null, text), Boolean(navigator.clipboard) && button);
}

/**
 * @param {HTMLElement} app
 * @param {{has_people: boolean}} session
 * @param {() => void} done
 * @param {import('../data/queue.js').Write[]} [waiting] unsent writes from a browser that was revoked
 */
export function showPairing(app, session, done, waiting = []) {
  const title = session.has_people ? texts.pair.title : texts.pair.noUsers;
  document.title = texts.tab(title);
  if (!session.has_people) {
    app.replaceChildren(
      h(
        'main.alone',
        { id: 'main' },
        mark(),
        h('h1', null, title),
        h('p', null, texts.pair.noUsersHint),
        command('trendyd user add Ada'),
        command('trendyd pair'),
        h('div', null, h('button.button', { type: 'button', on: { click: done } }, texts.pair.checkAgain)),
      ),
    );
    return;
  }
  const input = /** @type {HTMLInputElement} */ (
    h('input.input.code', {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      placeholder: texts.pair.example,
      maxlength: 16,
    })
  );
  const code = field(texts.pair.code, input, input, () => input.value.replace(/\D/g, ''));
  const button = /** @type {HTMLButtonElement} */ (h('button.button.primary', { type: 'submit' }, texts.pair.go));
  const submit = async () => {
    code.wrong(null);
    button.disabled = true;
    try {
      // If this browser was paired before, the hub revokes its previous device.
      const replaces = storedSession()?.device.id;
      await ask('POST', '/session', { code: code.read(), device_name: browserName(), replaces });
      done();
    } catch (error) {
      const isWrong = error instanceof Refused && error.kind === 'pairing_code_invalid';
      code.wrong(
        isWrong
          ? texts.pair.invalid
          : error instanceof Refused || error instanceof Unreachable
            ? error.message
            : String(error),
      );
      input.focus();
    } finally {
      button.disabled = false;
    }
  };
  app.replaceChildren(
    h(
      'main.alone',
      { id: 'main' },
      mark(),
      h('h1', null, title),
      waiting.length > 0 && stillHere(waiting),
      h('p', null, texts.pair.hint),
      command('trendyd pair'),
      actionForm(submit, code.element, button),
    ),
  );
  input.focus();
}

/**
 * Returns a note about unsent entries, with a button that saves them to a file.
 * @param {import('../data/queue.js').Write[]} waiting
 */
const stillHere = (waiting) =>
  h(
    'div.problem',
    { role: 'status' },
    h(
      'p',
      null,
      `${reach.isSignedOut ? texts.sync.signedOut : texts.sync.removed} ${texts.sync.stillHere(waiting.length)}`,
    ),
    h(
      'div',
      null,
      h('button.button', { type: 'button', on: { click: () => saveWrites(waiting) } }, texts.sync.saveToFile),
    ),
  );

/**
 * Saves writes to a file, in a form that can be replayed.
 * @param {import('../data/queue.js').Write[]} writes
 */
export function saveWrites(writes) {
  const whole = writes.map(({ method, path, body, at, key }) => ({
    method,
    path,
    body,
    at: new Date(at).toISOString(),
    key,
  }));
  download('trendy-unsent.json', 'application/json', JSON.stringify(whole, null, 2));
}

/** Returns this browser's name for the list of the user's devices. */
function browserName() {
  const agent = navigator.userAgent;
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /OPR\//.test(agent)
      ? 'Opera'
      : /Firefox\//.test(agent)
        ? 'Firefox'
        : /Chrome\//.test(agent)
          ? 'Chrome'
          : /Safari\//.test(agent)
            ? 'Safari'
            : '';
  const system = /Android/.test(agent)
    ? 'Android'
    : /iPhone/.test(agent)
      ? 'iPhone'
      : /iPad/.test(agent)
        ? 'iPad'
        : /Mac OS/.test(agent)
          ? 'Mac'
          : /Windows/.test(agent)
            ? 'Windows'
            : /Linux/.test(agent)
              ? 'Linux'
              : '';
  return texts.devices.browserOn(browser, system);
}
