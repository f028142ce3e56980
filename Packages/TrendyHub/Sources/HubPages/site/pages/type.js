import { h } from '../parts/dom.js';
import { disc } from '../parts/glyph.js';
import { definePage, head, logButton, segments } from '../parts/pagehead.js';
import { chart } from '../parts/chart.js';
import { goalOf, hasStreak } from '../parts/goal.js';
import { HOUR_COLUMNS, hourGrid, hourRows, patternWords } from '../parts/hourgrid.js';
import { hatch } from '../parts/heatmap.js';
import { eventRow } from '../parts/eventrow.js';
import { sharesChart } from '../parts/sharebars.js';
import { trendChart } from '../parts/trendchart.js';
import { openNew, recordNow, recordText } from '../parts/eventform.js';
import { openType } from '../parts/typeform.js';
import { isTrip, isVisit, whenText } from '../parts/eventtext.js';
import { go, withQuery } from '../data/navigation.js';
import { countsOf, read, search, skippedDays, types } from '../data/record.js';
import { Refused, Unreachable } from '../data/api.js';
import {
  addDays,
  dayAndMonth,
  dayOfEvent,
  daysBetween,
  longDate,
  monthAndYear,
  monthName,
  startOfWeek,
  time,
  today,
  weekStart,
  withDays,
} from '../data/days.js';
import { count, decimal, signed } from '../locale.js';
import { texts } from '../texts.js';

/** @type {[string, string][]} */
const RANGES = [...Object.entries(texts.type.ranges), ['all', texts.type.all]];
/**
 * Period of one bar, and number of days, for each range.
 * @type {Record<string, ['day' | 'week' | 'month', number]>}
 */
const STEPS = { '4w': ['day', 28], '12w': ['day', 84], '1y': ['week', 365], all: ['month', 36_525] };

/**
 * Page with a type's trend, pattern, values and latest entries.
 * @param {string} id
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function type(id, query) {
  const range = query.get('range') ?? '';
  const name = range in STEPS ? range : '12w';
  const shown = Math.min(2000, Math.max(20, Number(query.get('n')) || 20));
  const found = () => types().find((each) => each.id === id);
  return definePage({
    title: found()?.name ?? texts.nav.types,
    async load() {
      if (!found()) throw new Refused(404, null, 0);
      const date = today();
      const [counts, last, hub] = await Promise.all([
        countsOf(addDays(date, -370), date),
        search({ type: id, limit: shown }),
        findingOf(id, name, date),
      ]);
      return { date, counts, last, hub };
    },
    draw({ date, counts, last, hub }) {
      const of = found();
      if (!of) return h('div.page', null, head(texts.nav.types, texts.error.missing));
      const days = counts.counts();
      const at = (/** @type {string} */ day) => days.get(day)?.[id] ?? 0;
      const events = last.events();
      const redraw = () => go(withQuery({ table: query.get('table') ? null : '1' }), true);
      const shares =
        hub?.properties.map((each) => sharesChart(of.name, each, hub.properties_of, of.color, redraw)) ?? [];
      const pattern = hub?.findings?.pattern;
      const hours = pattern && pattern.events > 0 && when(of, pattern, redraw);
      return h(
        'div.page',
        null,
        hatch(),
        head(
          of.name,
          events.length ? texts.type.latest(whenText(events[0])) : texts.type.never,
          [
            h(
              'button.button',
              { type: 'button', dataset: { key: 'edit' }, on: { click: () => openType(of) } },
              texts.type.edit,
            ),
            logButton(() => openNew(of)),
          ],
          disc(of, 48),
        ),
        h(
          'dl.figures',
          null,
          figures(of, at(date), hub?.findings).map(([value, unit, label]) =>
            h('div', null, h('dt', null, label), h('dd', null, value, unit && [' ', h('span.unit', null, unit)])),
          ),
        ),
        h('section', null, bars(of, name, at, date, hub, redraw)),
        hours && shares.length
          ? h('div.columns', null, h('section', null, hours), h('section.of-values', null, shares))
          : [hours && h('section', null, hours), shares.length > 0 && h('section.of-values.wide', null, shares)],
        h(
          'section',
          null,
          h(
            'div.section-head',
            null,
            h('h2', null, texts.type.latestEntries),
            hub?.findings && h('span.quiet.small', null, texts.type.total(hub.findings.basis.events)),
          ),
          events.length
            ? h(
                'ul.rows',
                null,
                events
                  .slice(0, shown)
                  .map((/** @type {Api.Event} */ event) => h('li', null, eventRow(event, rowTime(event)))),
              )
            : h(
                'div.empty',
                null,
                h('p', null, texts.calendar.first),
                h('button.button', { type: 'button', on: { click: () => recordNow(of) } }, recordText(of)),
              ),
          last.next &&
            shown < 2000 &&
            h(
              'p',
              { class: 'empty' },
              h(
                'button.button',
                {
                  type: 'button',
                  dataset: { key: 'more' },
                  on: { click: () => go(withQuery({ n: String(Math.min(2000, shown * 3)) }), true) },
                },
                texts.act.showMore(Math.min(2000, shown * 3) - shown),
              ),
            ),
        ),
      );
    },
  });
}

/**
 * Reads the hub's findings for a type. Resolves to `null` if they are unknown.
 * @param {string} id
 * @param {string} range
 * @param {string} date today
 */
async function findingOf(id, range, date) {
  const [step, days] = STEPS[range];
  // One year in whole weeks.
  const span = step === 'week' ? daysBetween(addDays(startOfWeek(date), -51 * 7), date) + 1 : days;
  try {
    const { answer } = await read(
      withDays(`/insights/types/${encodeURIComponent(id)}`, { days: span, step, week_start: weekStart() }),
    );
    return answer;
  } catch (error) {
    // Omit the findings if the hub is unreachable or does not have the type yet, because the rest of the page is still
    // useful.
    if (error instanceof Unreachable || (error instanceof Refused && error.status === 404)) return null;
    throw error;
  }
}

const perDay = (/** @type {number} */ sum) => decimal(sum / 14, 1);

/**
 * Returns a type's key figures as value, unit and label.
 * @param {Api.EventType} of
 * @param {number} now
 * @param {Api.TypeInsights['findings'] | undefined} found
 * @returns {[string, string, string][]}
 */
function figures(of, now, found) {
  const goal = goalOf(of);
  const isDaily = goal?.period === 'day' && goal.measure === 'count';
  /** @type {[string, string, string][]} */
  const list = [[count(now), isDaily ? texts.goal.ofTarget(count(goal.amount)) : '', texts.type.today]];
  if (!found) return list;
  const { trend, streak, score, basis, week } = found;
  if (trend) {
    list.push([perDay(trend.recent), texts.type.aDay, texts.type.last14]);
    if (trend.change !== null) list.push([signed(Math.round(trend.change * 100)), '%', texts.type.before14]);
  } else {
    list.push([count(week.now), '', texts.type.thisWeek]);
  }
  if (goal && hasStreak(goal) && streak)
    list.push([
      count(streak.current),
      streak.period === 'week' ? texts.type.weekUnit(streak.current) : texts.type.dayUnit(streak.current),
      texts.type.streak(streak.longest),
    ]);
  if (score !== null) list.push([count(Math.round(score * 100)), '', texts.type.score]);
  list.push([count(basis.events), '', texts.type.since(monthAndYear(basis.from, 'short'))]);
  return list;
}

/**
 * @param {Api.EventType} of
 * @param {import('../parts/hourgrid.js').Pattern} pattern
 * @param {() => void} redraw
 */
const when = (of, pattern, redraw) =>
  chart({
    key: `${of.name.toLowerCase().replace(/\W+/g, '-')}-hours`,
    title: texts.type.when,
    finding: patternWords(pattern).join(' '),
    onSwitch: redraw,
    columns: HOUR_COLUMNS,
    rows: hourRows(pattern),
    picture: () => hourGrid(pattern, of.color),
  });

/**
 * Returns the day and time for an event's row.
 * @param {Api.Event} event
 */
function rowTime(event) {
  const day = dayOfEvent(event);
  const at = event.is_all_day ? texts.timeline.allDay : time(new Date(event.timestamp));
  // The page's heading already names the type.
  return {
    when: day === today() ? texts.type.today : dayAndMonth(day),
    title: isTrip(event) || isVisit(event) ? '' : at,
  };
}

/**
 * @param {Api.EventType} of
 * @param {string} range
 * @param {(day: string) => number} at
 * @param {string} date
 * @param {Api.TypeInsights | null} hub
 * @param {() => void} redraw
 */
function bars(of, range, at, date, hub, redraw) {
  const step = STEPS[range][0];
  const steps = hub || step !== 'month' ? stepsOf(of, range, at, date, hub?.points ?? []) : [];
  const trend = hub?.findings?.trend;
  const finding = trend
    ? texts.type.directions[/** @type {'up'} */ (trend.direction)](perDay(trend.recent), perDay(trend.before))
    : texts.type.tooFew;
  return chart({
    key: `${of.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}-${range}`,
    title: texts.type.entriesPer[step],
    finding,
    columns: ['date', 'entries', 'mean', 'lower', 'upper'],
    rows: steps.map((each) => [
      each.key,
      each.value,
      ...[each.mean, each.lower, each.upper].map((value) => (value === null ? '' : Math.round(value * 100) / 100)),
    ]),
    onSwitch: redraw,
    tools: segments(texts.type.range, RANGES, range, (value) => go(withQuery({ range: value }), true)),
    picture: () =>
      trendChart({
        steps,
        color: of.color,
        label: finding,
        width: innerWidth < 768 ? Math.max(288, innerWidth - 32) : 984,
        meanWords: texts.type.meanOf[step],
        middleWords: texts.type.middleOf[step],
      }),
  });
}

/**
 * @param {Api.EventType} of
 * @param {string} range
 * @param {(day: string) => number} at
 * @param {string} date
 * @param {Api.TypeInsights['points']} points as computed by the hub
 */
function stepsOf(of, range, at, date, points) {
  const [step, days] = STEPS[range];
  const known = new Map(points.map((point) => [point.from, point]));
  const isSkipped = skippedDays(of.id);
  const line = (/** @type {string} */ from) => {
    const point = known.get(from);
    return { mean: point?.mean ?? null, lower: point?.lower ?? null, upper: point?.upper ?? null };
  };
  if (step === 'day') {
    return Array.from({ length: days }, (_, i) => {
      const day = addDays(date, i - days + 1);
      return {
        key: day,
        label: longDate(day),
        axis: day === date ? texts.type.today : dayAndMonth(day),
        value: at(day),
        isNow: day === date,
        isSkipped: isSkipped(day),
        ...line(day),
      };
    });
  }
  if (step === 'week') {
    return Array.from({ length: 52 }, (_, i) => {
      const week = addDays(startOfWeek(date), (i - 51) * 7);
      const value = Array.from({ length: 7 }, (__, d) => at(addDays(week, d))).reduce((a, b) => a + b, 0);
      const isAway = Array.from({ length: 7 }, (__, d) => addDays(week, d)).every(isSkipped);
      return {
        key: week,
        label: texts.dates.span(dayAndMonth(week), dayAndMonth(addDays(week, 6))),
        axis: i === 51 ? texts.type.today : monthName(week),
        value,
        isNow: i === 51,
        isSkipped: isAway,
        ...line(week),
      };
    });
  }
  return points.map((point, i) => ({
    key: point.from,
    label: monthAndYear(point.from),
    axis: i === points.length - 1 ? texts.type.today : `${monthName(point.from)} ${point.from.slice(2, 4)}`,
    value: point.events,
    isNow: i === points.length - 1,
    isSkipped: false,
    ...line(point.from),
  }));
}
