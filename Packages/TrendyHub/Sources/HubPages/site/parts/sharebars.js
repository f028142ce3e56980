// Distribution of a property's values, drawn as bars. The hub computes all numbers.

import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { chart } from './chart.js';
import { length } from '../data/days.js';
import { count, decimal } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @typedef {{value: any, end: number | null, events: number, share: number}} Part
 * @typedef {{key: string, label: string, property_type: string, events: number, others: number, parts: Part[],
 *   distribution: {lower: number, median: number, upper: number} | null}} Shares
 */

/**
 * @param {string} kind
 * @param {any} value
 */
const valueText = (kind, value) =>
  kind === 'duration'
    ? length(value)
    : kind === 'number'
      ? decimal(value, 2)
      : typeof value === 'boolean'
        ? value
          ? texts.form.yes
          : texts.form.no
        : String(value);

/**
 * @param {Shares} of
 * @param {Part} part
 */
const partText = (of, part) =>
  part.end === null
    ? valueText(of.property_type, part.value)
    : texts.type.valueRange(valueText(of.property_type, part.value), valueText(of.property_type, part.end));

/**
 * @param {Shares} of
 * @param {number} looked number of examined events
 */
function finding(of, looked) {
  const { distribution, parts, property_type: kind } = of;
  const have = texts.type.have(of.events, looked);
  if (distribution && of.events > 3)
    return `${texts.type.half(valueText(kind, distribution.lower), valueText(kind, distribution.upper))} ${have}`;
  const best = parts.reduce((most, part) => (part.events > most.events ? part : most), parts[0]);
  return `${best && best.share > 0.4 ? `${texts.type.mostly(partText(of, best))} ` : ''}${have}`;
}

/**
 * @param {string} type name of the type
 * @param {Shares} of
 * @param {number} looked
 * @param {string} color
 * @param {() => void} redraw
 */
export function sharesChart(type, of, looked, color, redraw) {
  const rows = [
    ...of.parts.map((part) => ({ text: partText(of, part), events: part.events, share: part.share })),
    ...(of.others ? [{ text: texts.type.others, events: of.others, share: of.others / of.events }] : []),
  ];
  const most = Math.max(...rows.map((row) => row.share));
  return chart({
    key: `${type}-${of.key}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-'),
    title: of.label,
    finding: finding(of, looked),
    onSwitch: redraw,
    columns: ['value', 'entries', 'percent'],
    rows: rows.map((row) => [row.text, row.events, Math.round(row.share * 1000) / 10]),
    picture: () =>
      h(
        'ul.shares.bars',
        { set: tint(color) },
        rows.map((row) =>
          h(
            'li',
            null,
            h('span.cut', { title: row.text }, row.text),
            svg(
              'svg',
              { viewBox: '0 0 100 14', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
              svg('rect.track', { width: 100, height: 14 }),
              svg('rect.now', { width: (100 * row.share) / most, height: 14 }),
            ),
            h('b.num', null, texts.units.percent(count(Math.round(row.share * 100)))),
            h('span.num.quiet', null, count(row.events)),
          ),
        ),
      ),
  });
}
