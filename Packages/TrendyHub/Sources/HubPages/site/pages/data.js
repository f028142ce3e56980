import { h } from '../parts/dom.js';
import { head } from '../parts/head.js';
import { csv, download } from '../parts/chart.js';
import { toast } from '../parts/toast.js';
import { command } from './pair.js';
import { ask, snapshotAddress } from '../data/api.js';
import { typeOf } from '../data/record.js';
import { dayOfEvent, today } from '../data/days.js';
import { words } from '../words.js';

/** Can I leave, can I come back? @returns {import('../app.js').Page} */
export const data = () => ({
  title: words.nav.data, load: async () => null,
  draw() {
    const button = /** @type {HTMLButtonElement} */ (h('button.button', { type: 'button', on: { click: () => takeOut(button) } }, words.data.download));
    return h('div.page.settings', null, head(words.nav.data, null),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.takeOut)), h('ul.rows', null,
        h('li', null, h('div.plain-row', null, h('span.what', null, h('b', null, words.data.csv), h('div.small.quiet', null, words.data.csvWords)), button)),
        h('li', null, h('div.plain-row', null, h('span.what', null, h('b', null, words.data.all), h('div.small.quiet', null, words.data.allWords)), h('a.button', { href: snapshotAddress, download: `trendy-${today()}.ndjson` }, words.data.download))))),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.bringIn)), h('div.group', null, h('p', null, words.data.bringWords), command('trendy import --dry-run FILE'))),
      h('section', null, h('div.section-head', null, h('h2', null, words.data.backups)), h('div.group', null, h('p', null, words.data.backupWords), command('trendyd backup trendy.backup'))));
  },
});

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
