import { h } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { definePage, head } from '../parts/pagehead.js';
import { openMergeType, sameNames } from '../parts/typeactions.js';
import { openType } from '../parts/typeform.js';
import { chooseTypes } from './firstrun.js';
import { countsOf, definitions, types as all } from '../data/record.js';
import { addDays, today } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * @returns {import('../app.js').Page}
 */
export const types = () =>
  definePage({
    title: texts.type.allTypes,
    load: async () => countsOf(addDays(today(), -27), today()),
    draw(counts) {
      /** @type {Record<string, number>} */
      const sums = {};
      for (const day of counts.counts().values())
        for (const [type, n] of Object.entries(day)) sums[type] = (sums[type] ?? 0) + Number(n);
      return h(
        'div.page',
        null,
        head(texts.type.allTypes, all().length ? texts.units.types(all().length) : null, [
          h(
            'button.button.primary',
            { type: 'button', dataset: { key: 'new' }, on: { click: () => openType(null) } },
            glyph('plus', '.s16'),
            texts.type.newType,
          ),
        ]),
        sameNames().map(([first, second, ...rest]) =>
          h(
            'p.empty',
            { role: 'status' },
            texts.type.sameName(rest.length + 2, first.name),
            h(
              'button.button',
              { type: 'button', on: { click: () => openMergeType(second, first) } },
              texts.type.mergeGo,
            ),
          ),
        ),
        all().length === 0
          ? chooseTypes()
          : h(
              'ul.rows',
              null,
              all().map((type) =>
                h(
                  'li',
                  null,
                  h(
                    'a.plain-row',
                    { href: `/types/${encodeURIComponent(type.id)}` },
                    disc(type, 28),
                    h(
                      'span.what',
                      null,
                      h('b', null, type.name),
                      ' ',
                      h(
                        'span.quiet.small',
                        null,
                        definitions(type.id)
                          .map((definition) => definition.label)
                          .slice(0, 6)
                          .join(', '),
                      ),
                    ),
                    h('span.quiet.small', null, texts.type.month(sums[type.id] ?? 0)),
                  ),
                ),
              ),
            ),
      );
    },
  });
