import { h } from '../parts/dom.js';
import { head } from '../parts/pagehead.js';
import { words } from '../texts.js';

export const missing = () => ({
  title: 'Not found',
  load: async () => null,
  draw: () =>
    h('div.page', null, head('Not found', words.error.missing), h('a.button', { href: '/' }, words.nav.today)),
});
