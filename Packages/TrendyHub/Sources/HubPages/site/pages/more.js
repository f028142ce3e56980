import { h } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { head } from '../parts/pagehead.js';
import { syncText } from '../parts/frame.js';
import { isOwnType, types } from '../data/record.js';
import { texts } from '../texts.js';

const REST = [
  ['/trips', 'route', texts.nav.trips],
  ['/mileage', 'gauge', texts.nav.mileage],
  ['/places', 'pin', texts.nav.places],
  ['/types', 'dots', texts.type.allTypes],
  ['/devices', 'devices', texts.nav.devices],
  ['/data', 'data', texts.nav.data],
  ['/settings', 'settings', texts.nav.settings],
];

/** Page with links to the pages that do not fit in the bottom bar on phones. */
export const more = () => ({
  title: texts.nav.more,
  load: async () => null,
  draw() {
    const [title, detail] = syncText();
    return h(
      'div.page',
      null,
      head(
        texts.nav.more,
        [title, detail]
          .filter(Boolean)
          .map((text) => (text.endsWith('.') ? text : `${text}.`))
          .join(' '),
      ),
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
        h('div.section-head', null, h('h2', null, texts.nav.types)),
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
