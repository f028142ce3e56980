import { h, svg } from '../parts/dom.js';
import { disc } from '../parts/glyph.js';
import { definePage, head, segments } from '../parts/pagehead.js';
import { chart } from '../parts/chart.js';
import { HOUR_COLUMNS, hourGrid, hourRows, patternWords } from '../parts/hourgrid.js';
import { ring } from '../parts/scorering.js';
import { tint } from '../parts/colour.js';
import { go, withQuery } from '../data/navigation.js';
import { read, refresh, typeOf } from '../data/record.js';
import { addDays, dayAndMonth, daysBetween, nearDate, weekdayName, weekStart, withDays } from '../data/days.js';
import { count, some, words, fixed } from '../texts.js';

/** @type {[string, string][]} */
const RANGES = [
  ['30', words.insights.days(30)],
  ['90', words.insights.days(90)],
  ['365', words.insights.year],
];
const DOTS = { high: 3, medium: 2, low: 1 };

/**
 * What moves together, what changed, when does it happen? Every number is the hub's.
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function insights(query) {
  const asked = query.get('days') ?? '';
  const days = RANGES.some(([value]) => value === asked) ? asked : '90';
  const redraw = refresh;
  return definePage({
    title: words.nav.insights,
    async load() {
      const { answer } = await read(withDays('/insights', { days, week_start: weekStart() }));
      return answer;
    },
    draw(found) {
      const range = segments(words.insights.range, RANGES, days, (value) =>
        go(withQuery({ days: value === '90' ? null : value }), true),
      );
      if (!found.first_date)
        return h(
          'div.page',
          null,
          head(words.nav.insights, words.insights.nowhereElse),
          h('div.empty', null, h('p', null, words.insights.none)),
        );
      const first = addDays(found.today, 1 - found.days);
      const from = found.first_date > first ? found.first_date : first;
      const basis = words.insights.basis(daysBetween(from, found.today) + 1, dayAndMonth(from));
      const sentence = `${basis} ${words.insights.nowhereElse}`;
      return h(
        'div.page',
        null,
        head(words.nav.insights, sentence, [range]),
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
 * The week, in sentences of the hub.
 * @param {string[]} sentences
 */
const inWords = (sentences) =>
  sentences?.length > 0 &&
  h('section', null, h('h2', null, words.insights.inWords), h('p.prose.told-week', null, sentences.join(' ')));

/** @typedef {Api.Insights['types'][number]} Finding */

const type = (/** @type {Finding} */ entry) => ({ ...typeOf(entry.event_type_id), name: entry.name });
const signed = (/** @type {number} */ value) => `${value < 0 ? '−' : '+'}${fixed(Math.abs(value), 2)}`;
const lagText = (/** @type {Api.Insights['relations'][number]} */ relation) =>
  relation.lag_days ? words.insights.nextDay : words.insights.sameDay;

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function relations(found, redraw) {
  const list = found.relations;
  const name = (/** @type {string} */ id) =>
    found.types.find((each) => each.event_type_id === id)?.name ?? typeOf(id).name;
  const finding = found.needs_days
    ? words.insights.needsDays(found.needs_days)
    : list.length
      ? words.insights.tied(name(list[0].first), name(list[0].second))
      : words.insights.nothing;
  return chart({
    key: 'insights-relations',
    title: words.insights.together,
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
              h('b', null, words.insights.pair(name(each.first), name(each.second))),
              h('p.small.quiet', null, `${each.sentence}.`),
            ),
            axis(each.r),
            h('b.r', null, signed(each.r)),
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
                words.insights.rests(words.insights.confidence[/** @type {'low'} */ (each.confidence)], each.days),
              ),
              h('span', null, lagText(each)),
            ),
          ),
        ),
      ),
  });
}

/**
 * A bar from 0 on a line from −1 to +1.
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
  const list = found.types.filter((each) => each.week.now || each.week.before);
  const most = Math.max(1, ...list.map((each) => Math.max(each.week.now, each.week.before)));
  const week = found.types[0]?.week;
  const isWhole = week && daysBetween(week.from, week.through) === 6;
  const finding = !list.length
    ? words.insights.quietWeeks
    : isWhole
      ? words.insights.wholeWeek
      : words.insights.partWeek(weekdayName(week.from, 'long'), nearDate(week.through));
  const change = (/** @type {Finding['week']} */ each) =>
    each.percent === null
      ? words.insights.new
      : Math.round(each.percent) === 0
        ? words.insights.same
        : `${each.percent < 0 ? '−' : '+'}${count(Math.abs(Math.round(each.percent)))} %`;
  return chart({
    key: 'insights-weeks',
    title: words.insights.week,
    finding,
    onSwitch: redraw,
    columns: ['type', 'this week', 'last week', 'change'],
    rows: list.map((each) => [each.name, each.week.now, each.week.before, change(each.week)]),
    picture: () =>
      h(
        'div',
        null,
        h(
          'ul.weeks',
          null,
          list.map((each) =>
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
              h('span.num.quiet', null, h('span.spoken', null, words.insights.against), count(each.week.before)),
              h('span.num.small', null, change(each.week)),
            ),
          ),
        ),
        list.length > 0 && h('p.small.quiet.mark-words', null, h('i', { 'aria-hidden': 'true' }), words.insights.mark),
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
  return chart({
    key: 'insights-patterns',
    title: words.insights.patterns,
    finding: words.insights.rhythm(steady.length, list.length),
    onSwitch: redraw,
    columns: ['type', ...HOUR_COLUMNS],
    rows: list.flatMap((each) => hourRows(each.pattern).map((row) => [each.name, ...row])),
    picture: () =>
      h(
        'ul.patterns',
        null,
        list.map((each) =>
          h(
            'li',
            null,
            h(
              'h3',
              null,
              disc(type(each), 28),
              h('a.cut', { href: `/types/${encodeURIComponent(each.event_type_id)}` }, each.name),
            ),
            hourGrid(each.pattern, type(each).color),
            patternWords(each.pattern).map((sentence) => h('p.small.quiet', null, sentence)),
          ),
        ),
      ),
  });
}

/**
 * @param {Api.Insights} found
 * @param {() => void} redraw
 */
function streaks(found, redraw) {
  // Whatever is no habit of anybody has none.
  const list = found.types
    .flatMap((each) => (each.streak ? { ...each, streak: each.streak } : []))
    .sort((a, b) => b.streak.current - a.streak.current || b.streak.longest - a.streak.longest);
  const best = list[0];
  return chart({
    key: 'insights-streaks',
    title: words.insights.streaks,
    onSwitch: redraw,
    finding:
      best?.streak.current > 1 ? words.insights.longestNow(best.name, best.streak.current) : words.insights.noStreak,
    columns: ['type', 'days in a row', 'longest', 'longest until', 'score', 'days recorded', 'of days', 'since'],
    rows: list.map((each) => [
      each.name,
      each.streak.current,
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
                  words.insights.recorded(each.basis.active_days, each.basis.days, nearDate(each.basis.from)),
                ),
              ),
              each.score !== null && ring(each.score, type(each).color),
              h(
                'span.num',
                null,
                h('b', null, some(each.streak.current, 'day')),
                h('div.small.quiet', null, words.insights.longest(each.streak.longest)),
              ),
            ),
          ),
        ),
      ),
  });
}
