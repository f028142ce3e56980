import { h, say } from './dom.js';
import { preference, setPreference } from '../data/preferences.js';
import { texts } from '../texts.js';

const NAME = 'tables';
/** Maximum number of stored choices, and maximum length of a chart's name, which may contain user text. */
const MOST = 200;
const LONGEST = 200;

/**
 * Keys of the charts shown as tables, or `null` until the first chart is drawn.
 * @type {Set<string> | null}
 */
let asTable = null;

/** @returns {Set<string>} */
function tables() {
  asTable ??= new Set(readChoices());
  return asTable;
}

/** @returns {string[]} */
function readChoices() {
  try {
    const kept = JSON.parse(preference(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return []; // The stored value is invalid, so show every chart as a picture.
  }
}

const keepChoices = () =>
  setPreference(NAME, JSON.stringify([...tables()].filter((name) => name.length <= LONGEST).slice(-MOST)));

/**
 * Returns a column's heading, which for hours is the column's name.
 * @param {string} column
 */
const headingOf = (column) => texts.columns[/** @type {'date'} */ (column)] ?? column;

/**
 * Returns a chart with a title, a finding, and its numbers as table, CSV and JSON.
 * @param {{key: string, title: string, finding: string, picture: () => Node, columns: string[], headings?: string[],
 *   rows: (string | number)[][], tools?: Node | null, onSwitch: () => void}} of `columns` are the names in files
 */
export function chart({
  key,
  title,
  finding,
  picture,
  columns,
  headings = columns.map(headingOf),
  rows,
  tools = null,
  onSwitch,
}) {
  const isTable = tables().has(key);
  const swap = () => {
    if (isTable) tables().delete(key);
    else tables().add(key);
    keepChoices();
    onSwitch();
    say(isTable ? texts.act.chart : texts.act.table);
  };
  return h(
    'figure.chart',
    { 'aria-label': `${title}. ${finding}` },
    h(
      'div.top',
      null,
      h('h2', null, title),
      tools,
      h(
        'div.tools',
        null,
        h(
          'button',
          { type: 'button', dataset: { key: `swap-${key}` }, on: { click: swap } },
          isTable ? texts.act.chart : texts.act.table,
        ),
        h(
          'button',
          { type: 'button', on: { click: () => download(`${key}.csv`, 'text/csv', csv([columns, ...rows])) } },
          texts.act.csv,
        ),
        h(
          'button',
          {
            type: 'button',
            on: {
              click: () =>
                download(
                  `${key}.json`,
                  'application/json',
                  JSON.stringify(
                    rows.map((row) => Object.fromEntries(row.map((value, i) => [columns[i], value]))),
                    null,
                    2,
                  ),
                ),
            },
          },
          texts.act.json,
        ),
      ),
    ),
    h('p.finding', null, finding),
    isTable ? table(title, headings, rows) : picture(),
  );
}

/**
 * @param {string} caption
 * @param {string[]} headings
 * @param {(string | number | Node)[][]} rows
 * @param {number} [most] maximum number of rows
 */
export function table(caption, headings, rows, most = 400) {
  const kind = (/** @type {unknown} */ value) => (typeof value === 'number' ? 'num' : null);
  return h(
    'div.table',
    { tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      null,
      h('caption', null, caption),
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          headings.map((heading, i) => h('th', { scope: 'col', class: kind(rows[0]?.[i]) }, heading)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.slice(0, most).map((row) =>
          h(
            'tr',
            null,
            row.map((value) => h('td', { class: kind(value) }, value)),
          ),
        ),
      ),
    ),
  );
}

/**
 * Encodes rows as CSV (RFC 4180). Quotes text that a spreadsheet would evaluate as a formula.
 * @param {(string | number | null | undefined)[][]} rows
 */
export function csv(rows) {
  return (
    rows
      .map((row) =>
        row
          .map((value) => {
            let text = value === null || value === undefined ? '' : String(value);
            if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
            return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
          })
          .join(','),
      )
      .join('\r\n') + '\r\n'
  );
}

/**
 * @param {string} name
 * @param {string} type
 * @param {string | Blob} content
 */
export function download(name, type, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = h('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
