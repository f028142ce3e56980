import { h, svg } from '../parts/dom.js';
import { disc } from '../parts/glyph.js';
import { definePage, head, segments } from '../parts/pagehead.js';
import { chart } from '../parts/chart.js';
import { HOUR_COLUMNS, hourBars, hourRows, patternWords } from '../parts/hourgrid.js';
import { ring } from '../parts/scorering.js';
import { tint } from '../parts/colour.js';
import { go, withQuery } from '../data/navigation.js';
import { read, refresh, typeOf } from '../data/record.js';
import { addDays, dayAndMonth, daysBetween, nearDate, weekdayName, weekStart, withDays } from '../data/days.js';
import { count, signed } from '../locale.js';
import { texts } from '../texts.js';

/** @type {[string, string][]} */
const RANGES = [
  ['30', texts.insights.days(30)],
  ['90', texts.insights.days(90)],
  ['365', texts.insights.year],
];
/**
 * Maximum number of types, the most frequent ones, in the chart that compares two weeks. Its table lists all types.
 */
const MOST_WEEKS = 7;
const DOTS = { high: 3, medium: 2, low: 1 };

/**
 * Page with correlations, weeks, patterns and streaks. The hub computes all numbers.
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function insights(query) {
  const asked = query.get('days') ?? '';
  const days = RANGES.some(([value]) => value === asked) ? asked : '90';
  const redraw = refresh;
  return definePage({
    title: texts.nav.insights,
    async load() {
      const { answer } = await read(withDays('/insights', { days, week_start: weekStart() }));
      return answer;
    },
    draw(found) {
      const range = segments(texts.insights.range, RANGES, days, (value) =>
        go(withQuery({ days: value === '90' ? null : value }), true),
      );
      if (!found.first_date)
        return h(
          'div.page',
          null,
          head(texts.nav.insights, texts.insights.onHub),
          h('div.empty', null, h('p', null, texts.insights.none)),
        );
      const first = addDays(found.today, 1 - found.days);
      const from = found.first_date > first ? found.first_date : first;
      const basis = texts.insights.basis(daysBetween(from, found.today) + 1, dayAndMonth(from));
      const sentence = `${basis} ${texts.insights.onHub}`;
      return h(
        'div.page',
        null,
        head(texts.nav.insights, sentence, [range]),
        h(
          'div.columns.wide-side',
          null,
          h('div', null, h('section', null, relations(found, redraw)), inWords(found.words)),
          h('section', null, weeks(found, redraw)),
        ),
        h('section', null, patterns(found, redraw)),
        h('section', null, streaks(found, redraw)),
      );
    },
  });
}

/**
 * Returns the weekly summary in the hub's words.
 * @param {string[]} sentences
 */
const inWords = (sentences) =>
  sentences?.length > 0 &&
  h('section', null, h('h2', null, texts.insights.summary), h('p.prose.told-week', null, sentences.join(' ')));

/** @typedef {Api.Insights['types'][number]} Finding */

const type = (/** @type {Finding} */ entry) => ({ ...typeOf(entry.event_type_id), name: entry.name });
const lagText = (/** @type {Api.Insights['relations'][number]} */ relation) =>
  relation.lag_days ? texts.insights.nextDay : texts.insights.sameDay;

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function relations(found, redraw) {
  const list = found.relations;
  const name = (/** @type {string} */ id) =>
    found.types.find((each) => each.event_type_id === id)?.name ?? typeOf(id).name;
  const finding = found.needs_days
    ? texts.insights.needsDays(found.needs_days)
    : list.length
      ? texts.insights.strongest(name(list[0].first), name(list[0].second))
      : texts.insights.noCorrelation;
  return chart({
    key: 'insights-relations',
    title: texts.insights.correlations,
    finding,
    onSwitch: redraw,
    columns: ['first', 'second', 'lag_days', 'r', 'p', 'days', 'confidence', 'sentence'],
    rows: list.map((each) => [
      name(each.first),
      name(each.second),
      each.lag_days,
      Number(each.r.toFixed(3)),
      Number(each.p.toPrecision(3)),
      each.days,
      each.confidence,
      each.sentence,
    ]),
    picture: () =>
      h(
        'ul.relations',
        null,
        list.map((each) =>
          h(
            'li',
            null,
            h('span.pair-of', { 'aria-hidden': 'true' }, disc(typeOf(each.first), 28), disc(typeOf(each.second), 28)),
            h(
              'div.what',
              null,
              h('b', null, texts.insights.pair(name(each.first), name(each.second))),
              h('p.small.quiet', null, `${each.sentence}.`),
            ),
            axis(each.r),
            h('b.r', null, signed(each.r, 2)),
            h(
              'div.rest.small.quiet',
              null,
              h(
                'span.dots',
                { 'aria-hidden': 'true' },
                [1, 2, 3].map((n) => h(n <= DOTS[/** @type {'low'} */ (each.confidence)] ? 'i.on' : 'i', null)),
              ),
              h(
                'span',
                null,
                texts.insights.reliability(
                  texts.insights.confidence[/** @type {'low'} */ (each.confidence)],
                  each.days,
                ),
              ),
              h('span', null, lagText(each)),
            ),
          ),
        ),
      ),
  });
}

/**
 * Draws a bar from 0 on an axis from −1 to +1.
 * @param {number} r
 */
const axis = (r) =>
  svg(
    'svg.axis',
    { viewBox: '0 0 116 20', 'aria-hidden': 'true' },
    svg('line.whole', { x1: 0, x2: 116, y1: 10, y2: 10 }),
    svg('rect', { x: r < 0 ? 58 + r * 58 : 58, y: 5, width: Math.abs(r) * 58, height: 10, rx: 1.5 }),
    svg('line.zero', { x1: 58, x2: 58, y1: 1, y2: 19 }),
  );

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function weeks(found, redraw) {
  const list = found.types
    .filter((each) => each.week.now || each.week.before)
    .sort((a, b) => b.week.now + b.week.before - a.week.now - a.week.before);
  const most = Math.max(1, ...list.map((each) => Math.max(each.week.now, each.week.before)));
  const week = found.types[0]?.week;
  const isWhole = week && daysBetween(week.from, week.through) === 6;
  const finding = !list.length
    ? texts.insights.quietWeeks
    : isWhole
      ? texts.insights.wholeWeek
      : texts.insights.partWeek(weekdayName(week.from, 'long'), nearDate(week.through));
  const change = (/** @type {Finding['week']} */ each) =>
    each.percent === null
      ? texts.insights.new
      : Math.round(each.percent) === 0
        ? texts.insights.same
        : texts.units.percent(signed(Math.round(each.percent)));
  return chart({
    key: 'insights-weeks',
    title: texts.insights.week,
    finding,
    onSwitch: redraw,
    columns: ['type', 'this_week', 'last_week', 'change'],
    rows: list.map((each) => [each.name, each.week.now, each.week.before, change(each.week)]),
    picture: () =>
      h(
        'div',
        null,
        h(
          'ul.weeks',
          null,
          list.slice(0, MOST_WEEKS).map((each) =>
            h(
              'li',
              { set: tint(type(each).color) },
              disc(type(each), 28),
              h('a.cut', { href: `/types/${encodeURIComponent(each.event_type_id)}` }, each.name),
              svg(
                'svg.paired.bars',
                { viewBox: '0 0 80 20', 'aria-hidden': 'true' },
                svg('rect.track', { x: 0, y: 4, width: 80, height: 12, rx: 2 }),
                each.week.now > 0 &&
                  svg('rect.now', { x: 0, y: 4, width: Math.max(2, (80 * each.week.now) / most), height: 12, rx: 2 }),
                svg('line.mark-of', {
                  x1: 1 + (78 * each.week.before) / most,
                  x2: 1 + (78 * each.week.before) / most,
                  y1: 1,
                  y2: 19,
                }),
              ),
              h('b.num', null, count(each.week.now)),
              h('span.num.quiet', null, h('span.spoken', null, texts.insights.lastWeek), count(each.week.before)),
              h('span.num.small', null, change(each.week)),
            ),
          ),
        ),
        list.length > 0 && h('p.small.quiet.mark-words', null, h('i', { 'aria-hidden': 'true' }), texts.insights.mark),
        list.length > MOST_WEEKS && h('p.small.quiet', null, texts.insights.moreInTable(list.length - MOST_WEEKS)),
      ),
  });
}

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function patterns(found, redraw) {
  const list = found.types.filter((each) => each.pattern.events);
  const steady = list.filter((each) => each.pattern.hour || each.pattern.weekday);
  const others = list.filter((each) => !steady.includes(each)).map((each) => each.name);
  return chart({
    key: 'insights-patterns',
    title: texts.insights.patterns,
    finding: texts.insights.rhythm(steady.length, list.length),
    onSwitch: redraw,
    columns: ['type', ...HOUR_COLUMNS],
    rows: list.flatMap((each) => hourRows(each.pattern).map((row) => [each.name, ...row])),
    picture: () =>
      h(
        'div',
        null,
        h(
          'ul.patterns',
          null,
          steady.map((each) =>
            h(
              'li',
              null,
              h(
                'h3',
                null,
                disc(type(each), 28),
                h('a.cut', { href: `/types/${encodeURIComponent(each.event_type_id)}` }, each.name),
              ),
              hourBars(each.pattern, type(each).color),
              patternWords(each.pattern).map((sentence) => h('p.small.quiet', null, sentence)),
            ),
          ),
        ),
        others.length > 0 && h('p.small.quiet.irregular', null, texts.insights.irregular(others)),
      ),
  });
}

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function streaks(found, redraw) {
  const days = (/** @type {{period: string, current: number}} */ { period, current }) =>
    period === 'week' ? 7 * current : current;
  // Built-in types have no streak.
  const list = found.types
    .flatMap((each) => (each.streak ? { ...each, streak: each.streak } : []))
    .sort((a, b) => days(b.streak) - days(a.streak) || b.streak.longest - a.streak.longest);
  const best = list[0];
  return chart({
    key: 'insights-streaks',
    title: texts.insights.streaks,
    onSwitch: redraw,
    finding:
      best?.streak.current > 1
        ? texts.insights.longestNow(best.name, best.streak.current, best.streak.period)
        : texts.insights.noStreak,
    columns: ['type', 'in_a_row', 'unit', 'longest', 'longest_until', 'score', 'days_recorded', 'of_days', 'since'],
    rows: list.map((each) => [
      each.name,
      each.streak.current,
      each.streak.period,
      each.streak.longest,
      each.streak.longest_end ?? '',
      each.score === null ? '' : Math.round(each.score * 100),
      each.basis.active_days,
      each.basis.days,
      each.basis.from,
    ]),
    picture: () =>
      h(
        'ul.rows',
        null,
        list.map((each) =>
          h(
            'li',
            null,
            h(
              'div.plain-row.streak-row',
              null,
              disc(type(each), 28),
              h(
                'span.what',
                null,
                h('b', null, each.name),
                h(
                  'div.small.quiet',
                  null,
                  texts.insights.recorded(each.basis.active_days, each.basis.days, nearDate(each.basis.from)),
                ),
              ),
              each.score !== null && ring(each.score, type(each).color),
              h(
                'span.num',
                null,
                h('b', null, texts.units.periods(each.streak.current, each.streak.period)),
                h('div.small.quiet', null, texts.insights.longest(each.streak.longest)),
              ),
            ),
          ),
        ),
      ),
  });
}
