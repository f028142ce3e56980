import { h } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { definePage, head } from '../parts/pagehead.js';
import { routeMap } from '../parts/routemap.js';
import { openPlace } from '../parts/placesheet.js';
import { eventRow } from '../parts/eventrow.js';
import { stayText } from '../parts/eventtext.js';
import { chart } from '../parts/chart.js';
import { trendChart } from '../parts/trendchart.js';
import { go } from '../data/navigation.js';
import { Refused, Unreachable } from '../data/api.js';
import { places as all, read, refresh, search, types } from '../data/record.js';
import { dayAndMonth, dayOfEvent, length, nearTime, time, weekStart, withDays } from '../data/days.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @param {string} id
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function places(id, query) {
  const show = (/** @type {string | null} */ made) => go(made ? `/places/${made}` : '/places');
  const add = (/** @type {number[] | null} */ position = null) => openPlace(null, { position, onDone: show });
  // A sheet on another page needed the location, which only this document may request. Reopen that sheet with the name
  // that the user entered.
  const named = query.get('here');
  if (named !== null) {
    history.replaceState(history.state, '', location.pathname);
    const known = all().find((place) => place.id === id) ?? null;
    setTimeout(() => openPlace(known, { name: named, isHere: true, onDone: show }));
  }
  return definePage({
    title: texts.nav.places,
    async load() {
      const place = all().find((each) => each.id === id) ?? all()[0];
      if (!place) return null;
      const [visits, times] = await Promise.all([search({ place: place.id, limit: 12 }), timesAt(place.id)]);
      return { visits, times };
    },
    draw(found) {
      const list = all();
      const chosen = list.find((place) => place.id === id) ?? list[0];
      const addButton = h(
        'button.button.primary',
        { type: 'button', dataset: { key: 'add' }, on: { click: () => add() } },
        glyph('plus', '.s16'),
        texts.places.add,
      );
      if (!chosen) return h('div.page', null, head(texts.nav.places, texts.places.none, [addButton]));
      const visits = (found?.visits.events() ?? []).slice(0, 12);
      return h(
        'div.page',
        null,
        head(texts.nav.places, texts.units.places(list.length), [addButton]),
        h(
          'div.split',
          null,
          h(
            'nav.trip-list.of-places',
            { 'aria-label': texts.nav.places },
            h(
              'ul',
              null,
              list.map((place) =>
                h(
                  'li',
                  null,
                  h(
                    'a',
                    {
                      href: `/places/${encodeURIComponent(place.id)}`,
                      'aria-current': place === chosen ? 'true' : null,
                      dataset: { key: place.id },
                    },
                    disc({ name: place.name, color: '#747985', icon: 'pin' }, 28),
                    h(
                      'span',
                      null,
                      h('b', null, place.name),
                      h(
                        'span.sub',
                        null,
                        `${count(place.radius)} ${texts.units.metres}`,
                        place.is_active === false && `, ${texts.places.off}`,
                      ),
                    ),
                    glyph('right', '.s16'),
                  ),
                ),
              ),
            ),
          ),
          h(
            'div',
            null,
            routeMap({ label: texts.places.map, places: list, chosen: chosen.id, picker: { onPick: add } }),
            h(
              'section',
              null,
              h(
                'div.section-head',
                null,
                h('h2', null, chosen.name),
                h(
                  'button',
                  {
                    type: 'button',
                    dataset: { key: 'edit' },
                    on: { click: () => openPlace(chosen, { onDone: (kept) => kept || show(null) }) },
                  },
                  texts.act.edit,
                ),
              ),
              found?.times && timesOf(chosen, found.times),
              visits.length > 0 && h('div.section-head', null, h('h2', null, texts.places.visits)),
              visits.length
                ? h(
                    'ul.rows',
                    null,
                    visits.map((/** @type {Api.Event} */ event) =>
                      h(
                        'li',
                        null,
                        eventRow(event, {
                          when: dayAndMonth(dayOfEvent(event)),
                          title: visitTime(event),
                          end: stayText(event),
                        }),
                      ),
                    ),
                  )
                : h('p.empty', null, texts.places.noVisits),
            ),
          ),
        ),
      );
    },
  });
}

/**
 * Reads the visits to a place. Resolves to `null` if the hub is unreachable or does not know the place yet.
 * @param {string} id
 */
async function timesAt(id) {
  try {
    const path = `/insights/places/${encodeURIComponent(id)}`;
    return (await read(withDays(path, { week_start: weekStart() }))).answer;
  } catch (error) {
    if (error instanceof Unreachable || (error instanceof Refused && error.status === 404)) return null;
    throw error;
  }
}

/**
 * Formats a moment, or returns an empty string for `null`.
 * @param {string | null} moment
 */
const when = (moment) => (moment ? nearTime(new Date(moment)) : '');

/**
 * Returns the hours per week, last arrival and last departure.
 * @param {Api.Geofence} place
 * @param {Api.PlaceInsights} times as computed by the hub
 */
function timesOf(place, times) {
  const weeks = times.weeks.map((week, i) => ({
    key: week.from,
    label: texts.dates.span(dayAndMonth(week.from), dayAndMonth(week.through)),
    axis: dayAndMonth(week.from),
    value: Math.round(week.seconds / 360) / 10,
    isNow: i === times.weeks.length - 1,
    isSkipped: false,
    mean: null,
    lower: null,
    upper: null,
  }));
  const [before, now] = times.weeks.slice(-2);
  return h(
    'div.times',
    null,
    h(
      'p',
      null,
      times.here_since
        ? texts.places.here(when(times.here_since))
        : texts.places.lastVisit(when(times.last_enter), when(times.last_exit)),
    ),
    times.weeks.some((week) => week.seconds) &&
      chart({
        key: 'hours-a-week',
        title: texts.places.hours,
        finding: texts.places.weekly(length(now.seconds), length(before.seconds)),
        onSwitch: refresh,
        columns: ['week', 'hours', 'visits'],
        rows: times.weeks.map((week, i) => [week.from, weeks[i].value, week.visits]),
        picture: () =>
          trendChart({
            steps: weeks,
            color: place.color || types().find((type) => type.id === place.event_type_entry_id)?.color || '',
            label: texts.places.hours,
            width: innerWidth < 768 ? Math.max(288, innerWidth - 32) : 640,
            meanWords: '',
            middleWords: '',
          }),
      }),
  );
}

/**
 * @param {Api.Event} event
 */
const visitTime = (event) =>
  event.is_all_day
    ? ''
    : [event.timestamp, event.end_date].flatMap((moment) => (moment ? time(new Date(moment)) : [])).join(' – ');
