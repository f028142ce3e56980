import { h } from '../parts/dom.js';
import { disc } from '../parts/glyph.js';
import { head, logButton, segments } from '../parts/head.js';
import { chart } from '../parts/chart.js';
import { dayBars } from '../parts/daybars.js';
import { goalOf } from '../parts/goal.js';
import { HOUR_COLUMNS, hourGrid, hourRows, patternWords } from '../parts/hourgrid.js';
import { eventRow } from '../parts/row.js';
import { logNow, openNew } from '../parts/eventform.js';
import { openType } from '../parts/typeform.js';
import { isTrip, isVisit, whenText } from '../parts/values.js';
import { go, withQuery } from '../data/address.js';
import { countsOf, read, search, types } from '../data/record.js';
import { Refused, Unreachable } from '../data/api.js';
import { addDays, dayAndMonth, dayOfEvent, dayStartSeconds, longDate, monthName, startOfWeek, time, today, weekStart, zone } from '../data/days.js';
import { count, some, words } from '../words.js';

/** @type {[string, string][]} */
const RANGES = [['4w', '4 w'], ['12w', '12 w'], ['1y', '1 y']];

/** Is it rising, how often, what came last? @param {string} id @param {URLSearchParams} query @returns {import('../app.js').Page} */
export function type(id, query) {
  const range = RANGES.some(([name]) => name === query.get('range')) ? /** @type {string} */ (query.get('range')) : '12w';
  const shown = Math.min(2000, Math.max(20, Number(query.get('n')) || 20));
  const found = () => types().find((each) => each.id === id);
  return {
    title: found()?.name ?? words.nav.types,
    async load() {
      if (!found()) throw new Refused(404, { detail: words.error.missing }, 0);
      const date = today();
      const [counts, last, finding] = await Promise.all([countsOf(addDays(date, -364), date), search({ type: id, limit: shown }), findingOf(id, range)]);
      return { date, counts, last, finding };
    },
    draw({ date, counts, last, finding }) {
      const of = found();
      if (!of) return h('div.page', null, head(words.nav.types, words.error.missing));
      const days = counts.counts();
      const at = (/** @type {string} */ day) => days.get(day)?.[id] ?? 0;
      const sum = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from }, (_, i) => at(addDays(date, -from - i))).reduce((a, b) => a + b, 0);
      const events = last.events();
      const redraw = () => go(withQuery({ table: query.get('table') ? null : '1' }), true);
      return h('div.page', null,
        head(of.name, events.length ? words.type.last(whenText(events[0])) : words.type.never, [h('button.button', { type: 'button', dataset: { key: 'edit' }, on: { click: () => openType(of) } }, words.type.edit), logButton(() => openNew(of))], disc(of, 48)),
        h('dl.figures', null, [[count(at(date)), words.type.today], [count(sum(0, 7)), words.type.week], [count(sum(0, 28)), words.type.month], [count(sum(0, 365)), words.type.total], ...standing(of, finding)].map(([value, label]) =>
          h('div', null, h('dt', null, label), h('dd', null, value)))),
        h('section', null, bars(of, range, at, date, words.type.compared(sum(0, 14), sum(14, 28)), redraw)),
        finding?.pattern.events > 0 && h('section', null, when(of, finding.pattern, redraw)),
        h('section', null, h('div.section-head', null, h('h2', null, words.type.lastEntries)),
          events.length ? h('ul.rows', null, events.slice(0, shown).map((/** @type {any} */ event) => h('li', null, eventRow(event, rowTime(event)))))
            : h('div.empty', null, h('p', null, words.calendar.first), h('button.button', { type: 'button', on: { click: () => logNow(of) } }, words.type.first(of.name))),
          last.next && shown < 2000 && h('p', { class: 'empty' }, h('button.button', { type: 'button', dataset: { key: 'more' }, on: { click: () => go(withQuery({ n: String(Math.min(2000, shown * 3)) }), true) } }, words.act.showMore(Math.min(2000, shown * 3) - shown)))));
    },
  };
}

/** What the hub finds in a type; `null` where it has nothing up to today, or cannot be asked. @param {string} id @param {string} range */
async function findingOf(id, range) {
  const days = { '4w': 28, '12w': 84 }[range] ?? 365;
  try {
    const { answer } = await read(`/insights?days=${days}&zone=${encodeURIComponent(zone())}&day_start=${dayStartSeconds()}&week_start=${weekStart()}`);
    return answer.types.find((/** @type {any} */ each) => each.event_type_id === id) ?? null;
  } catch (error) {
    // The rest of the page was kept, and is worth reading without it.
    if (error instanceof Unreachable) return null;
    throw error;
  }
}

/** Streak and score, of a type with a goal. @param {any} of @param {any} finding @returns {[string, string][]} */
function standing(of, finding) {
  const goal = goalOf(of);
  if (!goal || !finding) return [];
  return [...(goal.period === 'day' && goal.bound === 'at_least' ? [[some(finding.streak.current, 'day'), words.type.streak(finding.streak.longest)]] : []),
    ...(finding.score === null ? [] : [[count(Math.round(finding.score * 100)), words.type.score]])];
}

/** By hour and weekday. @param {any} of @param {any} pattern @param {() => void} redraw */
const when = (of, pattern, redraw) => chart({
  key: `${of.name.toLowerCase().replace(/\W+/g, '-')}-hours`, title: words.type.when, finding: patternWords(pattern).join(' '), onSwitch: redraw,
  columns: HOUR_COLUMNS, rows: hourRows(pattern), picture: () => hourGrid(pattern, of.color),
});

/** The day of a row, and its time. @param {any} event */
function rowTime(event) {
  const day = dayOfEvent(event);
  const at = event.is_all_day ? words.timeline.day : time(new Date(event.timestamp));
  // What it is stands above the list.
  return { when: day === today() ? words.type.today : dayAndMonth(day), title: isTrip(event) || isVisit(event) ? '' : at };
}

/** Days, weeks where a day would be too thin. @param {any} of @param {string} range @param {(day: string) => number} at @param {string} date @param {string} finding @param {() => void} redraw */
function bars(of, range, at, date, finding, redraw) {
  const isNarrow = innerWidth < 768;
  const isWeeks = range === '1y';
  const n = range === '4w' ? 28 : range === '12w' ? 84 : 52;
  const monday = startOfWeek(date);
  const values = Array.from({ length: n }, (_, i) => {
    if (!isWeeks) {
      const day = addDays(date, i - n + 1);
      return { label: longDate(day), axis: day === date ? words.type.today : dayAndMonth(day), value: at(day), isNow: day === date, key: day };
    }
    const week = addDays(monday, (i - n + 1) * 7);
    const value = Array.from({ length: 7 }, (__, d) => at(addDays(week, d))).reduce((a, b) => a + b, 0);
    return { label: `${dayAndMonth(week)} – ${dayAndMonth(addDays(week, 6))}`, axis: week === monday ? words.type.today : monthName(week), value, isNow: week === monday, key: week };
  });
  return chart({
    key: `${of.name.toLowerCase().replace(/\W+/g, '-')}-${range}`, title: isWeeks ? words.type.entriesAWeek : words.type.entriesADay, finding,
    columns: ['date', 'entries'], rows: values.map((value) => [value.key, value.value]), onSwitch: redraw,
    tools: segments(words.type.range, RANGES, range, (value) => go(withQuery({ range: value }), true)),
    picture: () => dayBars({ values, color: of.color, label: finding, width: isNarrow ? Math.max(300, innerWidth - 32) : 984 }),
  });
}
