import { h } from './dom.js';
import { disc, glyph } from './glyph.js';
import { tint } from './colour.js';
import { ring } from './scorering.js';
import { spark } from './sparkline.js';
import { runningText } from './eventtext.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/** Media type of a dragged tile. */
const KIND = 'application/x-trendy-tile';

/**
 * Draws a type's tile. Pressing the tile logs an event or stops the running event.
 * @param {{type: Api.EventType, today: number, days: number[], week: number, last: string, waits: boolean, running:
 *   Api.Event | undefined, key: number, goal: import('./goal.js').Progress | null, streak: number, score: number |
 *   null, log: () => void, open: () => void, move: (step: number) => void, drop: (id: string) => void}} of `days` has
 *   14 counts, today last
 */
export function tile({
  type,
  today,
  days,
  week,
  last,
  waits,
  running,
  key,
  goal,
  streak,
  score,
  log,
  open,
  move,
  drop,
}) {
  const label = running
    ? texts.today.stopTile(type.name, runningText(running))
    : texts.today.tile(type.name, today, last, week, [
        ...(goal ? [goal.words] : []),
        ...(streak > 1 ? [texts.today.streak(streak, goal?.isWeekly ? 'week' : 'day')] : []),
        ...(goal && score !== null ? [texts.insights.score(Math.round(score * 100))] : []),
      ]);
  const press = h(
    'button.press',
    {
      type: 'button',
      'aria-label': label,
      dataset: { key: `tile-${type.id}`, tile: key },
      on: { click: log, contextmenu: hold, keydown: step },
    },
    h(
      'span.top',
      null,
      disc(type, 32),
      h('span.called', null, h('span.name', null, type.name), h('span.last.cut', null, last)),
      h(
        'span.count',
        null,
        waits && glyph('clock', '.s16'),
        !running && goal?.isMet && glyph('check', '.s16.met'),
        running ? runningText(running) : goal?.unit ? [goal.value, h('span.unit', null, goal.unit)] : count(today),
      ),
    ),
    h('span.below', null, spark(days), h('span.week', null, ...said()), goal && ring(score, type.color)),
  );
  /** Returns the text beside the bars, in a long and a short form. */
  function said() {
    const [long, short] = goal?.isWeekly
      ? [texts.goal.thisWeek(goal.short), goal.short]
      : streak > 1
        ? [texts.today.streak(streak, 'day'), texts.today.streakShort(streak)]
        : [texts.today.week(week), texts.today.weekShort(week)];
    return [h('span.long', null, long), h('span.short', null, short)];
  }
  /**
   * Opens the form on a long press.
   * @param {Event} event
   */
  function hold(event) {
    event.preventDefault();
    open();
  }
  /** @param {KeyboardEvent} event */
  function step(event) {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!event.altKey || !by) return;
    event.preventDefault();
    move(by);
  }
  const drag = {
    dragstart: (/** @type {DragEvent} */ event) => {
      event.dataTransfer?.setData(KIND, type.id);
    },
    dragover: (/** @type {DragEvent} */ event) => {
      if (event.dataTransfer?.types.includes(KIND)) event.preventDefault();
    },
    drop: (/** @type {DragEvent} */ event) => {
      const id = event.dataTransfer?.getData(KIND);
      if (id) {
        event.preventDefault();
        drop(id);
      }
    },
  };
  return h(
    `div.tile${running ? '.running' : ''}`,
    { set: tint(type.color), draggable: 'true', on: drag },
    press,
    h(
      'button.edit',
      {
        type: 'button',
        'aria-label': texts.today.details(type.name),
        dataset: { key: `more-${type.id}` },
        on: { click: open },
      },
      glyph('dots'),
    ),
  );
}
