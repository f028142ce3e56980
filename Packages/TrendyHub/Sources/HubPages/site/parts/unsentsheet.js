// Pending entries of another user of this browser. They are never sent to the record of the present user.

import { h } from './dom.js';
import { openSheet, sheetHead } from './sheet.js';
import { forgetStore } from '../data/storage.js';
import { saveWrites } from '../pages/pair.js';
import { words } from '../texts.js';

/** @typedef {Awaited<ReturnType<typeof import('../data/storage.js').leftovers>>[number]} Leftover */

/** @param {Leftover[]} found */
export function openLeftovers(found) {
  openSheet(words.leftovers.title, (_, close) => {
    const list = h('div.field');
    const row = (/** @type {Leftover} */ { person, name, writes }) => {
      const box = h('div.field', null, h('p', null, words.leftovers.words(writes.length, name)));
      const discard = async () => {
        await forgetStore(person);
        box.remove();
        if (!list.childElementCount) close();
      };
      box.append(
        h(
          'div.pair',
          null,
          h('button.button', { type: 'button', on: { click: () => saveWrites(writes) } }, words.leftovers.toFile),
          h('button.button.red', { type: 'button', on: { click: discard } }, words.leftovers.discard),
        ),
      );
      return box;
    };
    list.append(...found.map(row));
    return h(
      'div.content',
      null,
      sheetHead(words.leftovers.title, close),
      list,
      h('p.small.quiet', null, words.leftovers.keepWords),
      h('footer', null, h('button.button', { type: 'button', on: { click: close } }, words.leftovers.later)),
    );
  });
}
