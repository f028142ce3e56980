import { h } from '../parts/dom.js';
import { disc } from '../parts/glyph.js';
import { tint } from '../parts/colour.js';
import { definePage, head, segments, stepButton } from '../parts/pagehead.js';
import { hatch, heatmap } from '../parts/heatmap.js';
import { openSkipSheet } from '../parts/skipsheet.js';
import { goalOf, hasStreak } from '../parts/goal.js';
import { recordNow, recordText } from '../parts/eventform.js';
import { go, withQuery } from '../data/navigation.js';
import { habitOf, readHabits } from '../data/habits.js';
import { countsOf, isOwnType, skippedDays, types } from '../data/record.js';
import {
  addDays,
  dateHere,
  dayStartSeconds,
  daysBetween,
  longDate,
  monthAndYear,
  monthName,
  startOf,
  startOfWeek,
  time,
  today,
  weekdayName,
  addMonths,
} from '../data/days.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/** @type {[string, string][]} */
const VIEWS = [
  ['month', texts.calendar.month],
  ['quarter', texts.calendar.quarter],
  ['year', texts.calendar.year],
];

/**
 * Calendar page: a heat map for each year or quarter, or a single month.
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function calendar(query) {
  const name = VIEWS.some(([each]) => each === query.get('view')) ? /** @type {string} */ (query.get('view')) : 'year';
  const asked = Number(query.get('year'));
  const year = asked >= 1900 && asked <= 9999 ? asked : Number(today().slice(0, 4));
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(query.get('month') ?? '')
    ? /** @type {string} */ (query.get('month'))
    : today().slice(0, 7);
  const view = segments(texts.calendar.view, VIEWS, name, (value) =>
    go(
      withQuery({
        view: value === 'year' ? null : value,
        ...(value === 'year'
          ? { month: null, year: month.slice(0, 4) === today().slice(0, 4) ? null : month.slice(0, 4) }
          : { year: null }),
      }),
      true,
    ),
  );
  const range =
    name === 'month'
      ? [startOfWeek(`${month}-01`), addDays(startOfWeek(`${month}-01`), 41)]
      : name === 'quarter'
        ? quarterOf(month)
        : [`${year}-01-01`, `${year}-12-31`];
  return definePage({
    title: texts.nav.calendar,
    load: () => countsOf(range[0], range[1]),
    more: readHabits,
    draw(counts) {
      const all = types();
      if (!all.length)
        return h(
          'div.page',
          null,
          head(texts.nav.calendar, beginWords()),
          h('div.empty', null, h('p', null, texts.calendar.first), h('a.button', { href: '/' }, texts.today.choose)),
        );
      const chosen = choose(all, query, counts.counts());
      if (name === 'month') return drawMonth(month, chosen, all, counts, view);
      return name === 'quarter'
        ? drawQuarter(month, chosen, all, counts, view)
        : drawYear(year, chosen, all, counts, view);
    },
  });
}

/**
 * Returns the first and last day of the quarter that contains a month.
 * @param {string} month `2026-11`
 * @returns {[string, string]}
 */
function quarterOf(month) {
  const [year, number] = month.split('-').map(Number);
  const first = Math.floor((number - 1) / 3) * 3 + 1;
  return [
    `${year}-${String(first).padStart(2, '0')}-01`,
    new Date(Date.UTC(year, first + 2, 0)).toISOString().slice(0, 10),
  ];
}

/**
 * Returns the types named in the URL, or by default the four most frequent types.
 * @param {Api.EventType[]} all
 * @param {URLSearchParams} query
 * @param {Map<string, Record<string, number>>} days
 */
function choose(all, query, days) {
  if (query.has('types')) {
    const ids = (query.get('types') ?? '').split(',');
    return all.filter((type) => ids.includes(type.id));
  }
  /** @type {Record<string, number>} */
  const sums = {};
  for (const counts of days.values())
    for (const [type, n] of Object.entries(counts)) sums[type] = (sums[type] ?? 0) + n;
  return [...all]
    .filter((type) => !isOwnType(type))
    .sort((a, b) => (sums[b.id] ?? 0) - (sums[a.id] ?? 0))
    .slice(0, 4)
    .sort((a, b) => all.indexOf(a) - all.indexOf(b));
}

/**
 * @param {Api.EventType[]} all
 * @param {Api.EventType[]} chosen
 */
function chips(all, chosen) {
  const toggle = (/** @type {Api.EventType} */ type) => {
    const ids = chosen.includes(type) ? chosen.filter((other) => other !== type) : [...chosen, type];
    go(withQuery({ types: ids.map((other) => other.id).join(',') || ',' }), true);
  };
  return h(
    'div.chips',
    { role: 'group', 'aria-label': texts.calendar.types },
    all.map((type) =>
      h(
        'button.chip',
        {
          type: 'button',
          set: tint(type.color),
          'aria-pressed': String(chosen.includes(type)),
          dataset: { key: `chip-${type.id}` },
          on: { click: () => toggle(type) },
        },
        disc(type, 22),
        h('span.cut', null, type.name),
      ),
    ),
  );
}

const beginWords = () => (dayStartSeconds() ? texts.calendar.begin(time(startOf(today()))) : texts.calendar.midnight);

/** @typedef {Awaited<ReturnType<typeof import('../data/record.js').countsOf>>} Counts */

/**
 * @param {number} year
 * @param {Api.EventType[]} chosen
 * @param {Api.EventType[]} all
 * @param {Counts} counts
 * @param {Node} view
 */
function drawYear(year, chosen, all, counts, view) {
  const isNarrow = innerWidth < 768;
  const [begin, end] = [`${year}-01-01`, `${year}-12-31`];
  /** @type {[string, string][]} */
  const stretches = isNarrow
    ? [
        [begin, `${year}-06-30`],
        [`${year}-07-01`, end],
      ]
    : [[begin, end]];
  const move = (/** @type {number} */ step) => () => go(withQuery({ year: String(year + step) }), true);
  return h(
    'div.page',
    null,
    hatch(),
    head(String(year), beginWords(), [
      stepButton(texts.act.earlier, -1, move(-1)),
      stepButton(texts.act.later, 1, move(1)),
      view,
    ]),
    legendRow(all, chosen),
    chosen.map((type) => map(type, stretches, counts, 18)),
  );
}

/**
 * @param {string} month a month in the quarter
 * @param {Api.EventType[]} chosen
 * @param {Api.EventType[]} all
 * @param {Counts} counts
 * @param {Node} view
 */
function drawQuarter(month, chosen, all, counts, view) {
  const [begin, end] = quarterOf(month);
  const move = (/** @type {number} */ step) => () => go(withQuery({ month: addMonths(month, 3 * step) }), true);
  return h(
    'div.page',
    null,
    hatch(),
    head(`${monthName(begin, 'long')} – ${monthName(end, 'long')} ${begin.slice(0, 4)}`, beginWords(), [
      stepButton(texts.act.earlier, -1, move(-1)),
      stepButton(texts.act.later, 1, move(1)),
      view,
    ]),
    legendRow(all, chosen),
    h(
      'div.quarters',
      null,
      chosen.map((type) => map(type, [[begin, end]], counts, 25.2)),
    ),
  );
}

/**
 * @param {Api.EventType[]} all
 * @param {Api.EventType[]} chosen
 */
const legendRow = (all, chosen) =>
  h(
    'div.tools-row',
    null,
    chips(all, chosen),
    h(
      'div.legend',
      null,
      h(
        'button.link',
        { type: 'button', dataset: { key: 'days-off' }, on: { click: () => openSkipSheet(chosen) } },
        texts.skips.title,
      ),
      h('span', null, h('span.hatching'), texts.calendar.skipped),
      h('span', null, '· ', texts.calendar.before),
    ),
  );

/**
 * Returns a type's heat map.
 * @param {Api.EventType} type
 * @param {[string, string][]} stretches
 * @param {Counts} counts
 * @param {number} pitch
 */
function map(type, stretches, counts, pitch) {
  const [from, to] = [stretches[0][0], stretches[stretches.length - 1][1]];
  const last = today() < to ? today() : to;
  /** @type {Map<string, number>} */
  const of = new Map();
  let sum = 0;
  for (const [date, each] of counts.counts())
    if (each[type.id]) {
      of.set(date, each[type.id]);
      sum += each[type.id];
    }
  // Days are counted from the type's creation, or from its first entry if that is earlier. For a type older than the
  // range, days are counted from the start of the range or of the record.
  const earliest = [...of.keys()].sort()[0];
  const made = type.created_at ? dateHere(new Date(type.created_at)) : null;
  const first = made && made >= from ? (earliest && earliest < made ? earliest : made) : counts.first;
  const isSkipped = skippedDays(type.id);
  const since = first && first > from ? first : from;
  const span = Math.max(0, daysBetween(since, last) + 1);
  let skipped = 0;
  for (let date = since; date <= last; date = addDays(date, 1)) if (isSkipped(date)) skipped++;
  const isPresent = last === today();
  const about = h(
    'div.about',
    null,
    disc(type, 28),
    h('h2', null, h('a', { href: `/types/${encodeURIComponent(type.id)}` }, type.name)),
    sum
      ? h(
          'p',
          null,
          h('b', null, texts.calendar.days(of.size, span)),
          ` ${texts.calendar.total(sum)}${mostOn(counts.weekdays[type.id])}`,
          skipped > 0 && ` ${texts.calendar.skips(skipped)}`,
        )
      : h(
          'p',
          null,
          `${texts.calendar.first} `,
          h('button.link', { type: 'button', on: { click: () => recordNow(type) } }, recordText(type)),
        ),
    isPresent && sum > 0 && standing(type),
  );
  return heatmap({
    type,
    stretches,
    counts: of,
    bounds: counts.levels[type.id],
    first,
    isSkipped,
    isSparse: stretches.length > 1,
    pitch,
    about,
    open: (date) => go(`/timeline/${date}`),
    say: h('p.reading'),
  });
}

/** @param {number | undefined} weekday 0 is Sunday */
const mostOn = (weekday) =>
  weekday === undefined ? '' : ` ${texts.calendar.mostOn(weekdayName(addDays('2023-01-01', weekday), 'long'))}`;

/**
 * Returns the streak and score of a type with a goal.
 * @param {Api.EventType} type
 */
function standing(type) {
  const goal = goalOf(type);
  if (!goal) return h('p.standing.quiet', null, texts.calendar.noGoal);
  const habit = habitOf(type.id);
  if (!habit) return h('p.standing');
  const figure = (/** @type {number} */ value, /** @type {string} */ text) =>
    h('span', null, h('b', null, count(value)), ` ${text}`);
  return h(
    'p.standing',
    null,
    hasStreak(goal) &&
      habit.streak && [
        figure(habit.streak.current, texts.calendar.streak(habit.streak.current, habit.streak.period)),
        figure(habit.streak.longest, texts.calendar.longest),
      ],
    habit.score !== null && figure(Math.round(habit.score * 100), texts.calendar.score),
  );
}

/**
 * @param {string} month `2026-11`
 * @param {Api.EventType[]} chosen
 * @param {Api.EventType[]} all
 * @param {Counts} counts
 * @param {Node} view
 */
function drawMonth(month, chosen, all, counts, view) {
  const days = counts.counts();
  const begin = startOfWeek(`${month}-01`);
  const weeks = Math.ceil(
    (daysBetween(begin, addDays(`${month}-28`, 4)) - Number(addDays(`${month}-28`, 4).slice(8)) + 1) / 7,
  );
  const dates = Array.from({ length: weeks * 7 }, (_, i) => addDays(begin, i));
  const move = (/** @type {number} */ step) => () => go(withQuery({ month: addMonths(month, step) }), true);
  return h(
    'div.page',
    null,
    head(monthAndYear(`${month}-01`), beginWords(), [
      stepButton(texts.act.earlier, -1, move(-1)),
      stepButton(texts.act.later, 1, move(1)),
      view,
    ]),
    chips(all, chosen),
    h(
      'div.month-names',
      { 'aria-hidden': 'true' },
      dates.slice(0, 7).map((date) => h('span', null, weekdayName(date))),
    ),
    h(
      'ul.month',
      null,
      dates.map((date) => {
        const amount = (/** @type {Api.EventType} */ type) => days.get(date)?.[type.id] ?? 0;
        const of = chosen.filter(amount);
        const text = of.length
          ? of.map((type) => `${type.name} ${count(amount(type))}`).join(', ')
          : texts.calendar.none;
        return h(
          'li',
          null,
          h(
            `a.day${date.slice(0, 7) === month ? '' : '.other'}${date === today() ? '.is-today' : ''}`,
            { href: `/timeline/${date}`, 'aria-label': texts.calendar.day(longDate(date), text) },
            h('span.number', null, Number(date.slice(8))),
            h(
              'span.glyphs-of',
              null,
              of
                .slice(0, 4)
                .map((type) => h('span.amount', null, disc(type, 22), amount(type) > 1 && count(amount(type)))),
              of.length > 4 && h('span.small', null, `+${of.length - 4}`),
            ),
          ),
        );
      }),
    ),
  );
}
