// Speed of a trip over time, linked to a dot on the map. The hub computes all numbers.

import { h, svg } from './dom.js';
import { chart } from './chart.js';
import { hatch } from './heatmap.js';
import { speed as speedText } from './eventtext.js';
import { length, time, timeToSecond } from '../data/days.js';
import { refresh } from '../data/record.js';
import { texts } from '../texts.js';

const TALL = 56;

/** Creates the position at which the user is reading the speed. The map shows the position as a dot. */
export function spot() {
  /** @type {number[] | null} */
  let at = null;
  let draw = () => {};
  return {
    at: () => at,
    set: (/** @type {number[] | null} */ place) => {
      at = place;
      draw();
    },
    attach: (/** @type {() => void} */ act) => {
      draw = act;
    },
  };
}

/** @typedef {NonNullable<Api.GetTrip['speed']>} Speed */

/**
 * Returns a trip's stops for the map.
 * @param {Speed | null | undefined} speed
 */
export const stopsOf = (speed) =>
  (speed?.stops ?? []).map((stop) => ({
    latitude: stop.latitude,
    longitude: stop.longitude,
    text: length(stopSeconds(stop)),
  }));

/**
 * @param {Speed | null | undefined} speed
 * @returns {{points: number[][], text: string}[]}
 */
export function gapsOf(speed) {
  if (!speed) return [];
  const { steps } = speed;
  /** @type {{points: number[][], text: string}[]} */
  const gaps = [];
  for (let i = 0; i < steps.length; i++) {
    if (steps[i].mps !== null) continue;
    let end = i;
    while (end < steps.length && steps[end].mps === null) end++;
    const points = steps.slice(Math.max(0, i - 1), end + 1).map((step) => [step.latitude, step.longitude]);
    gaps.push({ points, text: texts.speed.without(length((end - i) * speed.step_s)) });
    i = end;
  }
  return gaps;
}

/** @param {Speed['stops'][number]} stop */
const stopSeconds = (stop) => (Date.parse(stop.end) - Date.parse(stop.start)) / 1000;
/** @param {Speed['stops'][number]} stop */
const nameOf = (stop) => stop.name ?? '';

/**
 * @param {Api.Trip} trip
 * @param {Speed} speed as computed by the hub
 * @param {ReturnType<typeof spot>} dot
 */
export function speedStrip(trip, speed, dot) {
  const { steps, stops, step_s: pitch, top_mps: top, standing_s: standing } = speed;
  const moment = (/** @type {number} */ i) => new Date(Date.parse(speed.start) + i * pitch * 1000);
  const stopAt = (/** @type {number} */ i) =>
    stops.find(
      (stop) => Date.parse(stop.start) <= moment(i + 0.5).getTime() && moment(i + 0.5).getTime() < Date.parse(stop.end),
    );
  const said = (/** @type {number} */ i) => {
    const stop = stopAt(i);
    const { mps } = steps[i];
    if (stop) return texts.speed.stopped(length(stopSeconds(stop)), nameOf(stop));
    return mps === null ? texts.speed.gap : speedText(mps);
  };
  const finding = [
    texts.speed.fastest(speedText(top)),
    stops.length ? texts.speed.stops(stops.length, length(standing)) : texts.speed.noStops,
  ].join(' ');
  return h(
    'section',
    null,
    hatch(),
    chart({
      key: `speed-${trip.timestamp.slice(0, 10)}`,
      title: texts.speed.title,
      finding,
      onSwitch: refresh,
      columns: ['time', 'speed', 'position'],
      rows: steps.map((step, i) => [
        timeToSecond(moment(i)),
        said(i),
        `${step.latitude.toFixed(5)}, ${step.longitude.toFixed(5)}`,
      ]),
      picture: () => picture(speed, finding, said, dot, moment),
    }),
  );
}

/**
 * @param {Speed} speed
 * @param {string} label
 * @param {(i: number) => string} said
 * @param {ReturnType<typeof spot>} dot
 * @param {(i: number) => Date} moment
 */
function picture({ steps, stops, start, step_s: pitch, top_mps: top }, label, said, dot, moment) {
  const width = innerWidth < 768 ? Math.max(288, innerWidth - 32) : 640;
  const seconds = steps.length * pitch;
  const x = (/** @type {number} */ second) => (second / seconds) * width;
  const y = (/** @type {number} */ value) => 4 + (TALL - 5) * (1 - value / Math.max(top, 1));
  /**
   * Runs of consecutive steps with or without a speed.
   * @type {{from: number, to: number, isGap: boolean}[]}
   */
  const runs = [];
  steps.forEach((step, i) => {
    const last = runs[runs.length - 1];
    if (last && last.isGap === (step.mps === null)) last.to = i + 1;
    else runs.push({ from: i, to: i + 1, isGap: step.mps === null });
  });
  const at = (/** @type {number} */ step) => x(step * pitch).toFixed(1);
  const line = (/** @type {{from: number, to: number}} */ run) =>
    steps
      .slice(run.from, run.to)
      .map((step, k) => `${k ? 'L' : 'M'}${at(run.from + k + 0.5)} ${y(step.mps ?? 0).toFixed(1)}`)
      .join('');
  const mark = svg('line.at', { y1: 0, y2: TALL, visibility: 'hidden' });
  const reading = h('p.reading', { 'aria-live': 'polite' }, texts.speed.hint);
  let shown = -1;
  const tell = (/** @type {number} */ i) => {
    shown = Math.min(steps.length - 1, Math.max(0, i));
    reading.textContent = texts.speed.reading(time(moment(shown + 0.5)), said(shown));
    for (const name of ['x1', 'x2']) mark.setAttribute(name, String(x((shown + 0.5) * pitch)));
    mark.setAttribute('visibility', 'visible');
    dot.set([steps[shown].latitude, steps[shown].longitude]);
  };
  const end = moment(steps.length);
  const strip = svg(
    'svg.plot.speed',
    { viewBox: `0 0 ${width} ${TALL + 20}`, role: 'img', tabindex: 0, 'aria-label': label, dataset: { key: 'speed' } },
    svg('line.grid', { x1: 0, x2: width, y1: TALL, y2: TALL }),
    runs.map((run) =>
      run.isGap
        ? svg('rect.gap', { x: x(run.from * pitch), y: 0, width: x((run.to - run.from) * pitch), height: TALL })
        : [
            svg('path.area', {
              d: `${line(run)}L${at(run.to - 0.5)} ${TALL}L${at(run.from + 0.5)} ${TALL}Z`,
            }),
            svg('path.line', { d: line(run) }),
          ],
    ),
    stops.map((stop) => {
      const [from, to] = [stop.start, stop.end].map((at) => x((Date.parse(at) - Date.parse(start)) / 1000));
      const name = nameOf(stop) || length(stopSeconds(stop));
      return [
        svg('rect.stop', { x: from, y: TALL - 3, width: Math.max(3, to - from), height: 6 }),
        to - from > name.length * 6.2 &&
          svg('text', { x: (from + to) / 2, y: TALL - 8, 'text-anchor': 'middle' }, name),
      ];
    }),
    svg('text', { x: 0, y: TALL + 15 }, time(moment(0))),
    svg('text', { x: width, y: TALL + 15, 'text-anchor': 'end' }, time(end)),
    mark,
  );
  strip.addEventListener('pointermove', (event) => {
    const box = strip.getBoundingClientRect();
    tell(Math.floor(((event.clientX - box.left) / box.width) * steps.length));
  });
  strip.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -steps.length, End: steps.length }[
      /** @type {KeyboardEvent} */ (event).key
    ];
    if (!step) return;
    event.preventDefault();
    tell(shown + step);
  });
  const leave = () => {
    dot.set(null);
    mark.setAttribute('visibility', 'hidden');
  };
  strip.addEventListener('pointerleave', leave);
  strip.addEventListener('blur', leave);
  return h('div', null, strip, reading);
}
