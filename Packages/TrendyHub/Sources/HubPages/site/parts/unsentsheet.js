// Unsent entries from other users of this browser, which are never sent to the current user's record.

import { h } from './dom.js';
import { openSheet, sheetHead } from './sheet.js';
import { deleteStore } from '../data/storage.js';
import { saveWrites } from '../pages/pair.js';
import { texts } from '../texts.js';

/** @typedef {Awaited<ReturnType<typeof import('../data/storage.js').unsentWrites>>[number]} Unsent */

/** @param {Unsent[]} found */
export function openUnsentSheet(found) {
  openSheet(texts.unsent.title, (_, close) => {
    const list = h('div.field');
    const row = (/** @type {Unsent} */ { person, name, writes }) => {
      const box = h('div.field', null, h('p', null, texts.unsent.ofUser(writes.length, name)));
      const discard = async () => {
        await deleteStore(person);
        box.remove();
        if (!list.childElementCount) close();
      };
      box.append(
        h(
          'div.pair',
          null,
          h('button.button', { type: 'button', on: { click: () => saveWrites(writes) } }, texts.sync.saveToFile),
          h('button.button.red', { type: 'button', on: { click: discard } }, texts.act.discard),
        ),
      );
      return box;
    };
    list.append(...found.map(row));
    return h(
      'div.content',
      null,
      sheetHead(texts.unsent.title, close),
      list,
      h('p.small.quiet', null, texts.unsent.keepHint),
      h('footer', null, h('button.button', { type: 'button', on: { click: close } }, texts.unsent.keep)),
    );
  });
}
