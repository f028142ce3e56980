import { h } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { head } from '../parts/pagehead.js';
import { syncWords } from '../parts/frame.js';
import { isOwnType, types } from '../data/record.js';
import { words } from '../texts.js';

const REST = [
  ['/trips', 'route', words.nav.trips],
  ['/mileage', 'gauge', words.nav.mileage],
  ['/places', 'pin', words.nav.places],
  ['/types', 'dots', words.type.allTypes],
  ['/devices', 'devices', words.nav.devices],
  ['/data', 'data', words.nav.data],
  ['/settings', 'settings', words.nav.settings],
];

/** On phones: the pages that the bar has no room for. */
export const more = () => ({
  title: words.nav.more,
  load: async () => null,
  draw() {
    const [title, detail] = syncWords();
    return h(
      'div.page',
      null,
      head(words.nav.more, `${title}${/[.:]$/.test(title) ? '' : '.'} ${detail}`),
      h(
        'ul.rows',
        null,
        REST.map(([address, name, text]) =>
          h(
            'li',
            null,
            h('a.plain-row', { href: address }, glyph(name), h('span.what', null, text), glyph('right', '.s16')),
          ),
        ),
      ),
      h(
        'section',
        null,
        h('div.section-head', null, h('h2', null, words.nav.types)),
        h(
          'ul.rows',
          null,
          types()
            .filter((type) => !isOwnType(type))
            .map((type) =>
              h(
                'li',
                null,
                h(
                  'a.plain-row',
                  { href: `/types/${encodeURIComponent(type.id)}` },
                  disc(type, 28),
                  h('span.what', null, type.name),
                  glyph('right', '.s16'),
                ),
              ),
            ),
        ),
      ),
    );
  },
});
