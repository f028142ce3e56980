import { h } from '../parts/dom.js';
import { head } from '../parts/head.js';
import { csv, download } from '../parts/chart.js';
import { toast } from '../parts/toast.js';
import { command } from './pair.js';
import { ask, snapshotAddress } from '../data/api.js';
import { read, typeOf } from '../data/record.js';
import { bringIn, earlierImports, takeBackImport } from '../parts/bringin.js';
import { dayOf, dayOfEvent, nearDate, today } from '../data/days.js';
import { words } from '../words.js';

/** Can I leave, can I come back? @returns {import('../app.js').Page} */
export const data = () => ({
  title: words.nav.data, load: async () => (await read('/imports')).answer,
  draw(imports) {
    const earlier = earlierImports(imports);
    const button = /** @type {HTMLButtonElement} */ (h('button.button', { type: 'button', on: { click: () => takeOut(button) } }, words.data.download));
    return h('div.page.settings', null, head(words.nav.data, null),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.bringIn)), bringIn(imports)),
      earlier.length > 0 && h('section', null, h('div.section-head', null, h('h2', null, words.bringIn.earlier)), h('ul.rows', null, earlier.map(importRow))),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.takeOut)), h('ul.rows', null,
        h('li', null, h('div.plain-row', null, h('span.what', null, h('b', null, words.data.csv), h('div.small.quiet', null, words.data.csvWords)), button)),
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

/** Every entry, a page of the hub's list at a time. @param {HTMLButtonElement} button */
async function takeOut(button) {
  button.disabled = true;
  try {
    /** @type {Map<string, any>} */
    const events = new Map();
    for (let to = ''; ;) {
      const page = await ask('GET', `/events?limit=1000&to=${encodeURIComponent(to || '9999-12-31T00:00:00Z')}`);
      const before = events.size;
      for (const event of page) events.set(event.id, event);
      button.textContent = words.data.reading(events.size);
      if (page.length < 1000) break;
      // Those of the last moment come again, as there may be more of it.
      const last = Date.parse(page[page.length - 1].timestamp);
      to = new Date(events.size === before ? last : last + 1).toISOString();
    }
    const keys = [...new Set([...events.values()].flatMap((event) => Object.keys(event.properties ?? {})))].filter((key) => key !== 'route').sort();
    const rows = [...events.values()].map((event) => [event.id, typeOf(event.event_type_id).name, dayOfEvent(event), event.timestamp, event.end_date, event.is_all_day ? 'yes' : 'no', event.time_zone, event.notes, event.location_name,
      event.location_latitude, event.location_longitude, event.source_type, ...keys.map((key) => { const value = event.properties?.[key]?.value; return value !== null && typeof value === 'object' ? JSON.stringify(value) : value === true ? 'yes' : value === false ? 'no' : value; })]);
    const names = ['id', 'type', 'date', 'start', 'end', 'all_day', 'time_zone', 'note', 'place', 'latitude', 'longitude', 'source', ...keys];
    download(`trendy-${today()}.csv`, 'text/csv', csv([names, ...rows]));
  } catch (error) {
    toast(/** @type {Error} */ (error).message, false);
  } finally {
    button.disabled = false;
    button.textContent = words.data.download;
  }
}
