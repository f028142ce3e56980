import { h } from '../parts/dom.js';
import { definePage, head } from '../parts/pagehead.js';
import { download } from '../parts/chart.js';
import { toast } from '../parts/toast.js';
import { command } from './pair.js';
import { askFile, backupAddress, Refused, Unreachable } from '../data/api.js';
import { read, types } from '../data/record.js';
import { choice, field } from '../parts/field.js';
import { bringIn, earlierImports, takeBackImport } from '../parts/importform.js';
import { dayOf, dayStartSeconds, nearDate, zone } from '../data/days.js';
import { words } from '../texts.js';

/**
 * Can I leave, can I come back?
 * @returns {import('../app.js').Page}
 */
export const data = () =>
  definePage({
    title: words.nav.data,
    load: async () => (await read('/imports')).answer,
    draw(imports) {
      const earlier = earlierImports(imports);
      return h(
        'div.page.settings',
        null,
        head(words.nav.data, null),
        h('section', null, h('div.section-head', null, h('h2', null, words.data.bringIn)), bringIn(imports)),
        earlier.length > 0 &&
          h(
            'section',
            null,
            h('div.section-head', null, h('h2', null, words.bringIn.earlier)),
            h('ul.rows', null, earlier.map(importRow)),
          ),
        h('section', null, h('div.section-head', null, h('h2', null, words.data.takeOut)), takeOut()),
        h(
          'section',
          null,
          h('div.section-head', null, h('h2', null, words.data.backups)),
          h(
            'ul.rows',
            null,
            h(
              'li',
              null,
              h(
                'div.plain-row',
                null,
                h('span.what', null, h('b', null, words.data.own), h('div.small.quiet', null, words.data.ownWords)),
                h('a.button', { href: backupAddress, download: '' }, words.data.backUp),
              ),
            ),
          ),
          h('div.group', null, h('p', null, words.data.hubWords), command('trendyd hub backup trendy.backup')),
        ),
      );
    },
  });

/** @param {Api.Import} entry */
function importRow(entry) {
  if (!entry.import) return null;
  const { made, undone_at: undone, finished_at: finished } = entry.import;
  const when = nearDate(dayOf(new Date(entry.started_at)));
  const state = undone
    ? words.bringIn.wasUndone
    : !finished && entry.state !== 'writing'
      ? words.bringIn.wasInterrupted
      : '';
  return h(
    'li',
    null,
    h(
      'div.plain-row',
      null,
      h(
        'span.what',
        null,
        h('b.cut', { title: entry.source }, entry.source),
        h('div.small.quiet', null, [when, words.bringIn.made(made.event ?? 0), state].filter(Boolean).join(', ')),
      ),
      !undone &&
        h(
          'button.button',
          {
            type: 'button',
            'aria-label': `${words.act.undo}: ${entry.source}`,
            dataset: { key: `undo-${entry.id}` },
            on: { click: () => takeBackImport(entry.id) },
          },
          words.act.undo,
        ),
    ),
  );
}

/**
 * As the hub calls them.
 * @type {[string, string][]}
 */
const FORMS = [
  ['csv', words.act.csv],
  ['json', words.act.json],
  ['ics', 'ICS'],
  ['gpx', 'GPX'],
];

/** What was recorded in a time, of one type or of all, as the hub writes it to a file. */
function takeOut() {
  const all = [...types()].sort((a, b) => a.name.localeCompare(b.name));
  const [from, to] = [words.data.from, words.data.to].map((label) => {
    const input = /** @type {HTMLInputElement} */ (
      h('input.input', { type: 'date', dataset: { key: `out-${label}` } })
    );
    return field(label, input, input, () => input.value);
  });
  const input = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      { dataset: { key: 'out-type' } },
      h('option', { value: '' }, words.data.allTypes),
      all.map((type) => h('option', { value: type.id }, type.name)),
    )
  );
  const type = field(words.data.type, input, input, () => input.value);
  const about = h('p.small.quiet', { role: 'status' }, words.data.forms.csv);
  const button = /** @type {HTMLButtonElement} */ (h('button.button', { type: 'submit' }, words.data.download));
  // Fixes are of no type.
  const turn = (/** @type {string} */ form) => {
    about.textContent = words.data.forms[/** @type {'csv'} */ (form)];
    type.element.hidden = form === 'gpx';
  };
  const form = choice(words.data.form, FORMS, 'csv', turn);
  const go = async () => {
    to.wrong(null);
    if (from.read() && to.read() && to.read() < from.read()) {
      to.wrong(words.form.endBefore);
      return to.input.focus();
    }
    button.disabled = true;
    button.textContent = words.data.making;
    try {
      const chosen = {
        form: form.read(),
        from: from.read(),
        to: to.read(),
        event_type_id: form.read() === 'gpx' ? '' : type.read(),
        zone: zone(),
        day_start: String(dayStartSeconds()),
      };
      const { content, name } = await askFile(
        `/export?${new URLSearchParams(Object.entries(chosen).filter(([, value]) => value))}`,
      );
      download(name, content.type, content);
      toast(words.data.taken(name), false);
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
      toast(
        error instanceof Unreachable
          ? words.trips.needsHub
          : error.status === 404
            ? words.data.nothing[form.read() === 'gpx' ? 'gpx' : 'events']
            : error.message,
        false,
      );
    } finally {
      button.disabled = false;
      button.textContent = words.data.download;
    }
  };
  return h(
    'form.group',
    {
      novalidate: true,
      on: {
        submit: (/** @type {Event} */ e) => {
          e.preventDefault();
          go();
        },
      },
    },
    h('p.small.quiet', null, words.data.entriesWords),
    h('div.pair', null, from.element, to.element),
    form.element,
    about,
    type.element,
    h('div', null, button),
  );
}
