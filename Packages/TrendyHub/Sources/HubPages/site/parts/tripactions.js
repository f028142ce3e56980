// Trip edits: split and merge. The hub computes the halves from the positions, and performs each edit in one
// transaction.

import { h } from './dom.js';
import { openSheet, sheetHead } from './sheet.js';
import { toast } from './toast.js';
import { distance, isTrip, titleOf } from './eventtext.js';
import { ask, newId, Refused, Unreachable } from '../data/api.js';
import { recordAction, refresh } from '../data/record.js';
import { length, time } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * State of the trip that is being split, which is kept across redraws.
 * @typedef {{id: string, secondId: string, at: string, told: Api.ShowSplit | null, point: number[] | null, turn:
 *   number}} Cut
 */
/** @type {Cut | null} */
let cut = null;
/** Functions that redraw the map and the panel. */
const drawn = { map() {}, panel() {} };

/**
 * @param {Api.Trip} trip
 * @returns {Cut | null}
 */
const splitting = (trip) => (cut?.id === trip.id ? cut : null);

/**
 * Returns the split point for a trip's map.
 * @param {Api.Trip} trip
 * @returns {import('./routemap.js').Cutter}
 */
export const cutter = (trip) => ({
  point: () => {
    const mine = splitting(trip);
    return mine && { at: mine.point };
  },
  onPick: (part, at) => {
    const mine = splitting(trip);
    if (mine) {
      mine.point = at;
      preview(mine, `part=${part.toFixed(6)}`);
    }
  },
  attach: (draw) => {
    drawn.map = draw;
  },
});

/**
 * Returns an element that contains the split panel while the trip is being split.
 * @param {Api.Trip} trip
 */
export const splitSlot = (trip) => {
  const mine = splitting(trip);
  return h('div', null, mine && panel(trip, mine));
};

/**
 * @param {Api.Trip} trip
 * @param {HTMLElement} slot
 */
export function beginSplit(trip, slot) {
  if (splitting(trip)) return;
  cut = { id: trip.id, secondId: newId(), at: '', told: null, point: null, turn: 0 };
  slot.replaceChildren(panel(trip, cut));
  /** @type {HTMLElement | null} */ (slot.querySelector('input'))?.focus();
  preview(cut, 'part=0.5');
}

/**
 * Requests a preview of the two halves.
 * @param {Cut} mine
 * @param {string} where query that gives the split point
 */
async function preview(mine, where) {
  const turn = ++mine.turn;
  try {
    const told = await ask('GET', `/trips/${encodeURIComponent(mine.id)}/split?${where}`);
    if (turn !== mine.turn || cut !== mine) return;
    const there = told.first.end_place;
    Object.assign(mine, { told, at: told.at, point: there ? [there.latitude, there.longitude] : null });
    drawn.map();
    drawn.panel();
  } catch (error) {
    // A trip cannot be split at its ends, so keep the previous preview.
    if (error instanceof Refused && error.status === 400) return;
    tell(error);
  }
}

/**
 * @param {Api.Trip} trip
 * @param {Cut} mine
 */
function panel(trip, mine) {
  const [start, end] = [Date.parse(trip.timestamp), Date.parse(trip.end_date)];
  const step = end - start > 600_000 ? 10_000 : 1000;
  // The ends of the trip are excluded.
  const slider = /** @type {HTMLInputElement} */ (
    h('input', {
      type: 'range',
      min: start + 1000,
      max: end - 1000,
      step,
      'aria-label': texts.trips.splitAt,
      dataset: { key: 'cut' },
    })
  );
  const clock = h('b.num');
  const halves = h('ol');
  const go = /** @type {HTMLButtonElement} */ (
    h(
      'button.button.primary',
      { type: 'button', dataset: { key: 'cut-go' }, on: { click: () => split(trip, mine) } },
      texts.trips.split,
    )
  );
  const stop = () => {
    cut = null;
    box.remove();
    drawn.map();
    /** @type {HTMLElement | null} */
    (document.querySelector('main [data-key=split]'))?.focus();
  };
  const show = (/** @type {number} */ moment) => {
    clock.textContent = time(new Date(moment));
    slider.setAttribute('aria-valuetext', time(new Date(moment)));
  };
  slider.addEventListener('input', () => {
    show(Number(slider.value));
    preview(mine, `at=${encodeURIComponent(new Date(Number(slider.value)).toISOString())}`);
  });
  drawn.panel = () => {
    go.disabled = !mine.told;
    if (!mine.told) return;
    const moment = Date.parse(mine.at);
    // Do not move the slider while it is being dragged.
    if (Math.abs(Number(slider.value) - moment) > step) slider.value = String(moment);
    show(moment);
    halves.replaceChildren(...[mine.told.first, mine.told.second].map((half) => h('li', null, halfText(half))));
  };
  drawn.panel();
  const box = h(
    'div.cutting',
    { role: 'group', 'aria-label': texts.trips.split },
    h('p.small.quiet', null, texts.trips.splitHint),
    h('div.cut-line', null, slider, clock),
    h('div', { role: 'status' }, halves),
    h('div.actions', null, go, h('button.button', { type: 'button', on: { click: stop } }, texts.act.cancel)),
  );
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      stop();
    }
  });
  return box;
}

/**
 * Describes one half: `Home to somewhere, 08:08 – 08:31, 23 min, 9.2 km`.
 * @param {Api.ShowSplit['first']} half
 */
function halfText(half) {
  const name = (/** @type {Api.TripSummary['start_place']} */ at) => at?.name ?? texts.timeline.unknownPlace;
  const [start, end] = [new Date(half.start), new Date(half.end)];
  return [
    texts.timeline.route(name(half.start_place), name(half.end_place)),
    `${time(start)} – ${time(end)}`,
    length((end.getTime() - start.getTime()) / 1000),
    distance(half.distance_m),
  ].join(', ');
}

/**
 * @param {Api.Trip} trip
 * @param {Cut} mine
 */
async function split(trip, mine) {
  try {
    const {
      trips: [first, second],
    } = await ask('POST', `/trips/${encodeURIComponent(trip.id)}/split`, { at: mine.at, id: mine.secondId });
    cut = null;
    recordAction(texts.trips.splitDone, 'events', [
      { before: trip, after: first },
      { before: null, after: second },
    ]);
    refresh();
    toast(texts.trips.splitDone);
  } catch (error) {
    tell(error);
  }
}

/**
 * Opens the sheet for merging a trip with the previous or next trip.
 * @param {Api.Trip} trip
 * @param {Pick<Api.GetTrip, 'previous' | 'next'>} around
 */
export function openMerge(trip, { previous, next }) {
  const merge = async (/** @type {Api.Trip} */ other) => {
    try {
      const whole = await ask('POST', `/trips/${encodeURIComponent(trip.id)}/merge`, { with: other.id });
      const [kept, gone] = whole.id === trip.id ? [trip, other] : [other, trip];
      recordAction(texts.trips.mergeDone, 'events', [
        { before: kept, after: whole },
        { before: gone, after: null },
      ]);
      if (kept !== trip) history.replaceState(null, '', `/trips/${encodeURIComponent(kept.id)}${location.search}`);
      refresh();
      toast(texts.trips.mergeDone);
    } catch (error) {
      tell(error);
    }
  };
  const choice = (/** @type {Api.Event | null} */ other, /** @type {string} */ word) =>
    other &&
    isTrip(other) &&
    h(
      'button',
      {
        type: 'button',
        on: {
          click: async () => {
            sheet.close();
            await merge(other);
          },
        },
      },
      h('span', null, h('span.small.quiet.over', null, word), h('b', null, titleOf(other))),
      h(
        'span.quiet',
        null,
        `${time(new Date(other.timestamp))} – ${time(new Date(other.end_date))}, `,
        distance(other.properties?.distance?.value ?? 0),
      ),
    );
  const sheet = openSheet(texts.trips.merge, (_, close) =>
    h(
      'div.content',
      null,
      sheetHead(texts.trips.mergeTitle, close),
      h('p.small.quiet', null, texts.trips.mergeHint),
      h('div.pick', null, choice(previous, texts.trips.previous), choice(next, texts.trips.next)),
    ),
  );
}

/** @param {unknown} error */
function tell(error) {
  if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
  toast(error instanceof Unreachable ? texts.trips.needsHub : error.message, false);
}
