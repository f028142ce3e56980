import { h } from './dom.js';
import { disc, glyph } from './glyph.js';
import { tint } from './colour.js';
import { spark } from './spark.js';
import { runningText } from './values.js';
import { count, words } from '../words.js';

/**
 * A type: one press logs it, or stops what runs.
 * @param {{type: any, today: number, days: number[], week: number, last: string, waits: boolean, running: any, key: number, goal: import('./goal.js').Progress | null, streak: number,
 *   log: () => void, open: () => void}} of `days` the last 14, today at the end
 */
export function tile({ type, today, days, week, last, waits, running, key, goal, streak, log, open }) {
  // A person sees how many days in a row where they set out for each day.
  const label = running ? words.today.stopTile(type.name, runningText(running)) : words.today.tile(type.name, today, last, week) + (goal ? ` ${goal.words}.` : '') + (streak > 1 ? ` ${words.today.streak(streak)}` : '');
  const press = h('button.press', { type: 'button', 'aria-label': label, dataset: { key: `tile-${type.id}`, tile: key }, on: { click: log, contextmenu: hold } },
    disc(type, 32), h('span', null, h('span.name', null, type.name), h('span.last.cut', null, last)),
    h('span.count', null, waits && glyph('clock', '.s16'), !running && goal?.isMet && glyph('check', '.s16.met'), running ? runningText(running) : goal?.unit ? [goal.value, h('span.unit', null, goal.unit)] : count(today)),
    h('span.below', null, spark(days), h('span.week', null, goal?.isWeekly ? goal.words : streak > 1 ? words.today.inARow(streak) : words.today.week(week))));
  /** A long press opens the form. @param {Event} event */
  function hold(event) {
    event.preventDefault();
    open();
  }
  return h(`div.tile${running ? '.running' : ''}`, { set: tint(type.color) }, press,
    h('button.edit', { type: 'button', 'aria-label': words.today.more(type.name), dataset: { key: `more-${type.id}` }, on: { click: open } }, glyph('dots')));
}
