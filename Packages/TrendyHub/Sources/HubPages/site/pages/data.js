import { actionForm, h } from '../parts/dom.js';
import { definePage, head } from '../parts/pagehead.js';
import { download } from '../parts/chart.js';
import { toast } from '../parts/toast.js';
import { command } from './pair.js';
import { askFile, backupAddress, Refused, Unreachable } from '../data/api.js';
import { read, types } from '../data/record.js';
import { choice, field } from '../parts/field.js';
import { importForm, pastImports, undoImport } from '../parts/importform.js';
import { dayOf, dayStartSeconds, nearDate, zone } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * @returns {import('../app.js').Page}
 */
export const data = () =>
  definePage({
    title: texts.nav.data,
    load: async () => (await read('/imports')).answer,
    draw(imports) {
      const earlier = pastImports(imports);
      return h(
        'div.page.settings',
        null,
        head(texts.nav.data, null),
        h('section', null, h('div.section-head', null, h('h2', null, texts.data.import)), importForm(imports)),
        earlier.length > 0 &&
          h(
            'section',
            null,
            h('div.section-head', null, h('h2', null, texts.imports.earlier)),
            h('ul.rows', null, earlier.map(importRow)),
          ),
        h('section', null, h('div.section-head', null, h('h2', null, texts.data.export)), exportForm()),
        h(
          'section',
          null,
          h('div.section-head', null, h('h2', null, texts.data.backups)),
          h(
            'ul.rows',
            null,
            h(
              'li',
              null,
              h(
                'div.plain-row',
                null,
                h(
                  'span.what',
                  null,
                  h('b', null, texts.data.record),
                  h('div.small.quiet', null, texts.data.recordHint),
                ),
                h('a.button', { href: backupAddress, download: '' }, texts.data.backUp),
              ),
            ),
          ),
          h('div.group', null, h('p', null, texts.data.hubHint), command('trendyd hub backup trendy.backup')),
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
    ? texts.imports.wasUndone
    : !finished && entry.state !== 'writing'
      ? texts.imports.wasInterrupted
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
        h('div.small.quiet', null, [when, texts.units.entries(made.event ?? 0), state].filter(Boolean).join(', ')),
      ),
      !undone &&
        h(
          'button.button',
          {
            type: 'button',
            'aria-label': texts.act.on(texts.act.undo, entry.source),
            dataset: { key: `undo-${entry.id}` },
            on: { click: () => undoImport(entry.id) },
          },
          texts.act.undo,
        ),
    ),
  );
}

/** @type {[string, string][]} */
const FORMATS = Object.entries(texts.data.formats);

function exportForm() {
  const all = [...types()].sort((a, b) => a.name.localeCompare(b.name));
  const [from, to] = [texts.data.from, texts.data.to].map((label) => {
    const input = /** @type {HTMLInputElement} */ (
      h('input.input', { type: 'date', dataset: { key: `out-${label}` } })
    );
    return field(label, input, input, () => input.value);
  });
  const input = /** @type {HTMLSelectElement} */ (
    h(
      'select.input',
      { dataset: { key: 'out-type' } },
      h('option', { value: '' }, texts.data.allTypes),
      all.map((type) => h('option', { value: type.id }, type.name)),
    )
  );
  const type = field(texts.data.type, input, input, () => input.value);
  const about = h('p.small.quiet', { role: 'status' }, texts.data.formatHints.csv);
  const button = /** @type {HTMLButtonElement} */ (h('button.button', { type: 'submit' }, texts.data.download));
  // Positions do not belong to a type, so a GPX export has no type filter.
  const turn = (/** @type {string} */ form) => {
    about.textContent = texts.data.formatHints[/** @type {'csv'} */ (form)];
    type.element.hidden = form === 'gpx';
  };
  const form = choice(texts.data.format, FORMATS, 'csv', turn);
  const go = async () => {
    to.wrong(null);
    if (from.read() && to.read() && to.read() < from.read()) {
      to.wrong(texts.form.endBefore);
      return to.input.focus();
    }
    button.disabled = true;
    button.textContent = texts.data.preparing;
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
      toast(texts.data.downloaded(name), false);
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
      toast(
        error instanceof Unreachable
          ? texts.trips.needsHub
          : error.status === 404
            ? texts.data.nothing[form.read() === 'gpx' ? 'gpx' : 'events']
            : error.message,
        false,
      );
    } finally {
      button.disabled = false;
      button.textContent = texts.data.download;
    }
  };
  const box = actionForm(
    go,
    h('p.small.quiet', null, texts.data.exportHint),
    h('div.pair', null, from.element, to.element),
    form.element,
    about,
    type.element,
    h('div', null, button),
  );
  box.className = 'group';
  return box;
}
