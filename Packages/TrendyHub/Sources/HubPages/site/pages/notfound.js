import { h } from '../parts/dom.js';
import { head } from '../parts/pagehead.js';
import { texts } from '../texts.js';

export const missing = () => ({
  title: texts.error.notFound,
  load: async () => null,
  draw: () =>
    h('div.page', null, head(texts.error.notFound, texts.error.missing), h('a.button', { href: '/' }, texts.nav.today)),
});
