import { h } from '../parts/dom.js';
import { head } from '../parts/head.js';
import { csv, download } from '../parts/chart.js';
import { toast } from '../parts/toast.js';
import { command } from './pair.js';
import { ask, snapshotAddress } from '../data/api.js';
import { read, typeOf, types } from '../data/record.js';
import { choice, field } from '../parts/field.js';
import { bringIn, earlierImports, takeBackImport } from '../parts/bringin.js';
import { addDays, dayOf, dayOfEvent, nearDate, today } from '../data/days.js';
import { words } from '../words.js';

/** Can I leave, can I come back? @returns {import('../app.js').Page} */
export const data = () => ({
  title: words.nav.data, load: async () => (await read('/imports')).answer,
  draw(imports) {
    const earlier = earlierImports(imports);
    return h('div.page.settings', null, head(words.nav.data, null),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.bringIn)), bringIn(imports)),
      earlier.length > 0 && h('section', null, h('div.section-head', null, h('h2', null, words.bringIn.earlier)), h('ul.rows', null, earlier.map(importRow))),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.takeOut)), takeOut(), h('ul.rows', null,
        h('li', null, h('div.plain-row', null, h('span.what', null, h('b', null, words.data.all), h('div.small.quiet', null, words.data.allWords)), h('a.button', { href: snapshotAddress, download: `trendy-${today()}.ndjson` }, words.data.download))))),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.backups)), h('div.group', null, h('p', null, words.data.backupWords), command('trendyd hub backup trendy.backup'))));
  },
});

/** @param {any} entry */
function importRow(entry) {
  const { made, undone_at: undone, finished_at: finished } = entry.import;
  const when = nearDate(dayOf(new Date(entry.started_at)));
  const state = undone ? words.bringIn.wasUndone : !finished && entry.state !== 'writing' ? words.bringIn.wasInterrupted : '';
  return h('li', null, h('div.plain-row', null, h('span.what', null, h('b.cut', { title: entry.source }, entry.source), h('div.small.quiet', null, [when, words.bringIn.made(made.event ?? 0), state].filter(Boolean).join(', '))),
    !undone && h('button.button', { type: 'button', 'aria-label': `${words.act.undo}: ${entry.source}`, dataset: { key: `undo-${entry.id}` }, on: { click: () => takeBackImport(entry.id) } }, words.act.undo)));
}

/** Entries of a range and of some types, as a table or as the hub has them. */
function takeOut() {
  const all = [...types()].sort((a, b) => a.name.localeCompare(b.name));
  const [from, to] = [words.data.from, words.data.to].map((label) => { const input = /** @type {HTMLInputElement} */ (h('input.input', { type: 'date', dataset: { key: `out-${label}` } })); return field(label, input, input, () => input.value); });
  const input = /** @type {HTMLSelectElement} */ (h('select.input', { dataset: { key: 'out-type' } }, h('option', { value: '' }, words.data.allTypes), all.map((type) => h('option', { value: type.id }, type.name))));
  const type = field(words.data.type, input, input, () => input.value);
  const form = choice(words.data.form, [['csv', words.act.csv], ['json', words.act.json]], 'csv');
  const button = /** @type {HTMLButtonElement} */ (h('button.button', { type: 'submit' }, words.data.download));
  const go = async () => {
    to.wrong(null);
    if (from.read() && to.read() && to.read() < from.read()) { to.wrong(words.form.endBefore); return to.input.focus(); }
    button.disabled = true;
    try {
      const events = await entries(from.read(), to.read(), type.read(), (n) => { button.textContent = words.data.reading(n); });
      const name = `trendy-${[from.read(), to.read()].filter(Boolean).join('-') || today()}`;
      if (form.read() === 'csv') download(`${name}.csv`, 'text/csv', csv(rows(events)));
      else download(`${name}.json`, 'application/json', JSON.stringify(events, null, 2));
    } catch (error) {
      toast(/** @type {Error} */ (error).message, false);
    } finally {
      button.disabled = false;
      button.textContent = words.data.download;
    }
  };
  return h('form.group', { novalidate: true, on: { submit: (/** @type {Event} */ e) => { e.preventDefault(); go(); } } }, h('p.small.quiet', null, words.data.entriesWords), h('div.pair', null, from.element, to.element), type.element, form.element, h('div', null, button));
}

/**
 * Entries from the hub, a page of its list at a time.
 * @param {string} from the first day, or nothing @param {string} to the last @param {string} type an id, or nothing @param {(n: number) => void} tell how many were read
 * @returns {Promise<any[]>} the latest first
 */
async function entries(from, to, type, tell) {
  /** @type {Map<string, any>} */
  const events = new Map();
  // An all-day event may lie elsewhere by its moment than by its date.
  const begin = from ? addDays(from, -2) : '0001-01-01';
  for (let end = `${to ? addDays(to, 3) : '9999-12-31'}T00:00:00Z`; ;) {
    const page = await ask('GET', `/events?limit=1000&from=${begin}T00:00:00Z&to=${encodeURIComponent(end)}`);
    const before = events.size;
    for (const event of page) events.set(event.id, event);
    tell(events.size);
    if (page.length < 1000) break;
    // Those of the last moment come again, as there may be more of it.
    const last = Date.parse(page[page.length - 1].timestamp);
    end = new Date(events.size === before ? last : last + 1).toISOString();
  }
  return [...events.values()].filter((event) => (!type || event.event_type_id === type) && (!from || dayOfEvent(event) >= from) && (!to || dayOfEvent(event) <= to));
}

/** As a table, its names first. @param {any[]} events */
function rows(events) {
  const keys = [...new Set(events.flatMap((event) => Object.keys(event.properties ?? {})))].filter((key) => key !== 'route').sort();
  const text = (/** @type {any} */ value) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : value === true ? 'yes' : value === false ? 'no' : value);
  return [['id', 'type', 'date', 'start', 'end', 'all_day', 'time_zone', 'note', 'place', 'latitude', 'longitude', 'source', ...keys],
    ...events.map((event) => [event.id, typeOf(event.event_type_id).name, dayOfEvent(event), event.timestamp, event.end_date, event.is_all_day ? 'yes' : 'no', event.time_zone, event.notes, event.location_name,
      event.location_latitude, event.location_longitude, event.source_type, ...keys.map((key) => text(event.properties?.[key]?.value))])];
}
