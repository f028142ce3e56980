// Form to import files: upload, preview, import, undo.

import { fill, h, say } from './dom.js';
import { zoneField } from './field.js';
import { disc, glyph } from './glyph.js';
import { bytes, summary } from './eventtext.js';
import { ask, newId, Refused, Unreachable } from '../data/api.js';
import { refresh, types } from '../data/record.js';
import { dayOf, nearDate, time, zone } from '../data/days.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @typedef {NonNullable<Api.Import['preview']>} Preview
 * @typedef {Pick<Api.Import, 'id' | 'state' | 'source'> & Partial<Api.Import>} ImportState
 * @typedef {Pick<Api.Event, 'timestamp' | 'is_all_day' | 'notes'> & {type: string}} Example
 */

/**
 * The file being imported, with its state on the hub and the user's choices, or `null` if there is none.
 * @type {{id: string, file: File | null, state: ImportState, error: unknown, zone: string, dateFormat: string, without:
 *   Set<string>, names: Map<string, string>, found: Preview['types'], isOtherZone?: boolean} | null}
 */
let current = null;
/** Number of the current operation. Results of earlier operations are discarded. */
let turn = 0;

const box = h('div.bring-in');
const busy = ['receiving', 'reading', 'writing', 'undoing'];

/** @param {Api.Import[]} imports of the hub */
export function importForm(imports) {
  // Show an import that was started before this page was opened.
  const open = imports.find((entry) => ['ready', 'reading', 'writing'].includes(entry.state));
  if (!current && open) {
    current = {
      id: open.id,
      file: null,
      state: open,
      error: null,
      zone: zone(),
      dateFormat: '',
      without: new Set(),
      names: new Map(),
      found: [],
    };
    follow(++turn);
  }
  draw();
  return box;
}

/** @param {Api.Import[]} imports */
export const pastImports = (imports) => imports.filter((entry) => entry.import).reverse();

/** @param {string} id */
export async function undoImport(id) {
  const mine = ++turn;
  current = {
    id,
    file: null,
    state: { id, state: 'undoing', source: '' },
    error: null,
    zone: zone(),
    dateFormat: '',
    without: new Set(),
    names: new Map(),
    found: [],
  };
  draw();
  try {
    current.state = await ask('POST', `/imports/${encodeURIComponent(id)}/undo`);
    await follow(mine);
  } catch (error) {
    fail(mine, error);
  }
}

// MARK: Steps

/** @param {File} file */
async function begin(file) {
  const mine = ++turn;
  const id = newId();
  current = {
    id,
    file,
    state: { id, state: 'receiving', source: file.name, size: file.size, received: 0 },
    error: null,
    zone: zone(),
    dateFormat: '',
    without: new Set(),
    names: new Map(),
    found: [],
  };
  draw();
  try {
    if (!file.size) throw new Error(texts.imports.emptyFile);
    current.state = await ask('POST', '/imports', { id, name: file.name, size: file.size });
    await send(mine);
    if (mine === turn) await look(mine);
  } catch (error) {
    fail(mine, error);
  }
}

/**
 * Uploads the file in parts. If the response to a part is lost, the part is sent again.
 * @param {number} mine
 */
async function send(mine) {
  while (mine === turn && current?.file && (current.state.received ?? 0) < current.file.size) {
    const { received = 0, part_bytes: part = current.file.size } = current.state;
    try {
      const state = await ask(
        'PUT',
        `/imports/${current.id}/content?offset=${received}`,
        current.file.slice(received, received + part),
      );
      if (mine !== turn) return;
      current.state = state;
    } catch (error) {
      const isPassing =
        error instanceof Unreachable || (error instanceof Refused && (error.status === 429 || error.status === 503));
      if (!isPassing) throw error;
      await pause(error instanceof Refused ? error.retryAfter * 1000 : 1000);
    }
    draw();
  }
}

/**
 * Requests a preview, which writes nothing.
 * @param {number} mine
 */
async function look(mine) {
  if (!current) return;
  current.state = await ask('POST', `/imports/${current.id}/preview`, choice());
  await follow(mine);
}

async function take() {
  if (!current) return;
  const mine = ++turn;
  const preview = current.state.preview;
  try {
    current.state = { ...(await ask('POST', `/imports/${current.id}/commit`, choice())), preview };
    await follow(mine);
  } catch (error) {
    fail(mine, error);
  }
}

function choice() {
  const all = current?.found ?? [];
  const names = Object.fromEntries(current?.names ?? []);
  const chosen = all
    .map((type) => type.name.toLowerCase())
    .filter((/** @type {string} */ name) => !current?.without.has(name));
  return {
    zone: current?.zone ?? zone(),
    ...(current?.dateFormat ? { date_format: current.dateFormat } : {}),
    ...(chosen.length < all.length ? { types: chosen } : {}),
    ...(current?.names.size ? { type_map: names } : {}),
    ...(current?.isOtherZone ? { other_zone: true } : {}),
  };
}

/**
 * Polls the state until the operation ends.
 * @param {number} mine
 */
async function follow(mine) {
  draw();
  while (mine === turn && current && busy.includes(current.state.state)) {
    await pause(current.state.state === 'receiving' ? 1000 : 250);
    if (mine !== turn || !current) return;
    try {
      const state = await ask('GET', `/imports/${encodeURIComponent(current.id)}`);
      if (mine !== turn || !current) return;
      current.state = state;
    } catch (error) {
      if (!(error instanceof Unreachable)) return fail(mine, error);
    }
    draw();
  }
  if (mine !== turn || !current) return;
  if (['done', 'undone', 'failed'].includes(current.state.state)) refresh();
  say(box.querySelector('[data-key=told]')?.textContent ?? '');
}

/**
 * @param {number} mine
 * @param {unknown} error
 */
function fail(mine, error) {
  if (mine !== turn || !current) return;
  current.error = error;
  draw();
  say(messageOf(error), true);
}

async function stop() {
  if (!current) return;
  const { id, state } = current;
  // An import that is already writing stops at its next step and then reports its state.
  if (state.state !== 'writing') {
    turn += 1;
    current = null;
  }
  draw();
  await ask('DELETE', `/imports/${encodeURIComponent(id)}`).catch(() => {});
}

function close() {
  turn += 1;
  current = null;
  draw();
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : texts.imports.failed);

const pause = (/** @type {number} */ milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// MARK: Drawing

function draw() {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const key = focused && box.contains(focused) ? focused.dataset.key : undefined;
  fill(box, current ? file() : chooser());
  if (key)
    /** @type {HTMLElement | null} */ (
      box.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? box.querySelector('button')
    )?.focus({ preventScroll: true });
}

/**
 * @param {string} text
 * @param {() => void} act
 * @param {string} [classes]
 * @param {import('./dom.js').Attributes} [more]
 */
const button = (text, act, classes = '', more = {}) =>
  h(`button.button${classes}`, { type: 'button', dataset: { key: `in-${text}` }, on: { click: act }, ...more }, text);

function chooser() {
  const input = /** @type {HTMLInputElement} */ (
    h('input.spoken', { type: 'file', 'aria-label': texts.imports.choose, tabindex: -1 })
  );
  input.addEventListener('change', () => {
    if (input.files?.[0]) begin(input.files[0]);
  });
  const zoneOf = h(
    'div.drop',
    null,
    glyph('file'),
    h('div.what', null, h('b', null, texts.imports.drop), h('p.small.quiet', null, texts.imports.formats)),
    input,
    button(texts.imports.choose, () => input.click()),
  );
  zoneOf.addEventListener('dragover', (event) => {
    event.preventDefault();
    zoneOf.classList.add('over');
  });
  zoneOf.addEventListener('dragleave', () => zoneOf.classList.remove('over'));
  zoneOf.addEventListener('drop', (event) => {
    event.preventDefault();
    zoneOf.classList.remove('over');
    if (event.dataTransfer?.files[0]) begin(event.dataTransfer.files[0]);
  });
  return zoneOf;
}

function file() {
  const { state, error } = /** @type {NonNullable<typeof current>} */ (current);
  const name = h('b.cut', { title: state.source }, state.source);
  if (error) return problem(name, sentence(messageOf(error)), error instanceof Refused ? error.requestId : '');
  switch (state.state) {
    case 'receiving':
      return meter(
        name,
        texts.imports.uploading(bytes(state.received ?? 0), bytes(state.size ?? 0)),
        (state.received ?? 0) / (state.size || 1),
        texts.imports.stop,
      );
    case 'reading':
      return meter(name, texts.imports.reading, (state.read ?? 0) / (state.size || 1), texts.imports.stop);
    case 'writing':
      return meter(name, texts.imports.writing, (state.read ?? 0) / (state.size || 1), texts.imports.stop);
    case 'undoing':
      return meter(name, texts.imports.undoing, null, null);
    case 'ready':
      return preview(name, /** @type {Preview} */ (state.preview));
    case 'done':
      return told(
        name,
        outcome(/** @type {Preview} */ (state.result)),
        [
          state.import ? button(texts.act.undo, () => undoImport(state.id)) : null,
          button(texts.imports.another, close),
        ],
        details(/** @type {Preview} */ (state.result)),
      );
    case 'undone':
      return told(name, texts.imports.undone(state.removed ?? 0, state.left ?? 0), [
        button(texts.imports.another, close),
      ]);
    default:
      return failed(name, state);
  }
}

/**
 * @param {Node} name
 * @param {string} text
 * @param {number | null} part
 * @param {string | null} end
 */
function meter(name, text, part, end) {
  const shown = part === null ? null : Math.min(1, part);
  return h(
    'div.meter',
    null,
    h(
      'div.plain-row',
      null,
      glyph('file'),
      h('span.what', null, name, h('div.small.quiet', { dataset: { key: 'told' } }, text)),
      end && button(end, stop),
    ),
    shown !== null && h('progress', { max: 1, value: shown, 'aria-label': text }),
  );
}

/**
 * @param {Node} name
 * @param {Node | string} text
 * @param {(Node | null)[]} actions
 * @param {Node[]} [more]
 */
const told = (name, text, actions, more = []) => [
  h(
    'div.plain-row.told',
    null,
    glyph('check'),
    h('span.what', null, name, h('div', { dataset: { key: 'told' } }, text)),
    actions,
  ),
  ...more,
];

/**
 * @param {Node} name
 * @param {string} text
 * @param {string} [requestId]
 */
const problem = (name, text, requestId = '') =>
  h(
    'div.problem',
    null,
    h('p', null, name),
    h('p', { dataset: { key: 'told' } }, text),
    requestId && h('p.small.quiet', null, texts.error.request(requestId)),
    h('div.actions', null, button(texts.imports.another, close)),
  );

/** @param {string} text */
const sentence = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/**
 * @param {Node} name
 * @param {ImportState} state
 */
function failed(name, state) {
  const isAmbiguous = state.problem?.type === 'urn:trendy:error:ambiguous_dates';
  const again = (/** @type {string} */ form) => () => {
    if (!current) return;
    current.dateFormat = form;
    const mine = ++turn;
    look(mine).catch((error) => fail(mine, error));
  };
  return h(
    'div.problem',
    null,
    h('p', null, name),
    h('p', { dataset: { key: 'told' } }, sentence(state.problem?.detail ?? texts.imports.failed)),
    state.import && h('p', null, texts.imports.interrupted),
    h(
      'div.actions',
      null,
      isAmbiguous && [button(texts.imports.dayFirst, again('dmy')), button(texts.imports.monthFirst, again('mdy'))],
      state.import && !state.import.undone_at && button(texts.act.undo, () => undoImport(state.id)),
      button(texts.imports.another, close),
    ),
  );
}

/**
 * @param {Node} name
 * @param {Preview} found
 */
function preview(name, found) {
  const mine = /** @type {NonNullable<typeof current>} */ (current);
  // Keep all type names in the file, because the user's choices affect the rest of the preview.
  if (!mine.names.size && !mine.without.size) mine.found = found.types;
  const all = mine.found.length ? mine.found : found.types;
  const chosen = all.filter((type) => !mine.without.has(type.name.toLowerCase()));
  const isWhole = chosen.length === all.length;
  const events = sum(chosen.map((type) => type.new));
  const others = isWhole
    ? Object.entries(found.new)
        .filter(([kind]) => kind !== 'event')
        .map(
          ([kind, n]) => texts.imports.kinds[/** @type {keyof typeof texts.imports.kinds} */ (kind)]?.(Number(n)) ?? '',
        )
        .filter(Boolean)
    : [];
  // Includes entries whose type is not in the file, such as trips detected from positions.
  const n = isWhole ? Math.max(events, found.new.event ?? 0) : events;
  const isAnything = n + others.length + found.new_readings > 0;
  const range = found.first
    ? texts.imports.range(nearDate(dayOf(new Date(found.first))), nearDate(dayOf(new Date(found.last ?? found.first))))
    : '';
  return [
    h(
      'div.plain-row',
      null,
      glyph('file'),
      h('span.what', null, name, h('div.small.quiet', null, [found.format_name, range].filter(Boolean).join(', '))),
      button(texts.act.discard, stop, '.plain'),
    ),
    h(
      'p',
      { dataset: { key: 'told' } },
      h('b', null, texts.imports.counts(n, found.known, found.bad)),
      ' ',
      texts.imports.nothingYet,
    ),
    others.length > 0 && h('p.quiet', null, texts.imports.also(others)),
    found.new_readings > 0 && h('p.quiet', null, texts.imports.positions(found.new_readings)),
    found.remarks.map((/** @type {string} */ remark) => h('p.quiet', null, remark)),
    all.length > 0 && h('ul.rows.type-list', { 'aria-label': texts.nav.types }, all.map(typeRow)),
    found.examples.length > 0 &&
      h(
        'div',
        null,
        h('h3.small', null, texts.imports.examples),
        h(
          'ul.rows',
          null,
          found.examples.map((event) => h('li', null, exampleRow(/** @type {Example} */ (event)))),
        ),
      ),
    details(found),
    zoneChoice(),
    found.other_zone && otherZoneChoice(found.other_zone),
    h(
      'div.actions',
      null,
      button(
        isAnything ? (n ? texts.imports.importCount(n) : texts.imports.import) : texts.imports.nothingNew,
        take,
        '.primary',
        {
          disabled: !isAnything || (found.other_zone && !mine.isOtherZone),
          dataset: { key: 'in-take' },
        },
      ),
    ),
  ];
}

/**
 * Asks for confirmation before a file's entries are imported a second time.
 * @param {string} zone time zone of the earlier import
 */
function otherZoneChoice(zone) {
  const mine = /** @type {NonNullable<typeof current>} */ (current);
  const input = /** @type {HTMLInputElement} */ (
    h('input', { type: 'checkbox', checked: mine.isOtherZone, dataset: { key: 'other-zone' } })
  );
  input.addEventListener('change', () => {
    mine.isOtherZone = input.checked;
    draw();
  });
  return h(
    'div',
    null,
    h('p', null, texts.imports.otherZone(zone)),
    h('label.plain-row', null, input, h('span.what', null, texts.imports.importAnyway)),
  );
}

/** @param {Preview['types'][number]} type */
function typeRow(type) {
  const { without, names } = /** @type {NonNullable<typeof current>} */ (current);
  const key = type.name.toLowerCase();
  const input = /** @type {HTMLInputElement} */ (
    h('input', { type: 'checkbox', checked: !without.has(key), dataset: { key: `type-${key}` } })
  );
  input.addEventListener('change', () => {
    if (input.checked) without.delete(key);
    else without.add(key);
    draw();
  });
  const target = names.get(key) ?? '';
  const others = types()
    .filter((other) => other.name.toLowerCase() !== key)
    .sort((a, b) => a.name.localeCompare(b.name));
  const select =
    others.length > 0 &&
    /** @type {HTMLSelectElement} */ (
      h(
        'select.input',
        { 'aria-label': texts.imports.importAs(type.name), dataset: { key: `as-${key}` } },
        h('option', { value: '' }, type.is_new ? texts.imports.asNew : texts.imports.asItself),
        others.map((other) =>
          h('option', { value: other.name, selected: other.name === target }, texts.imports.as(other.name)),
        ),
      )
    );
  if (select)
    select.addEventListener('change', () => {
      if (select.value) names.set(key, select.value);
      else names.delete(key);
      const now = ++turn;
      look(now).catch((error) => fail(now, error));
    });
  return h(
    'li',
    null,
    h(
      'div.plain-row',
      null,
      h(
        'label.plain-row.what',
        null,
        input,
        disc(known(target || type.name), 28),
        h(
          'span.what',
          null,
          h('b', null, type.name),
          type.is_new && !target && h('span.small.quiet', null, ` ${texts.imports.newType}`),
          h('div.small.quiet', null, texts.imports.typeCounts(type.new, type.count - type.new)),
        ),
      ),
      select,
    ),
  );
}

/** @param {string} name */
const known = (name) =>
  types().find((type) => type.name.toLowerCase() === name.toLowerCase()) ?? { id: '', name, color: '', icon: '' };

/** @param {Example} event */
function exampleRow(event) {
  const start = new Date(event.timestamp);
  return h(
    'div.row.example',
    null,
    h('span.time', null, nearDate(dayOf(start)), !event.is_all_day && h('div.small.quiet', null, time(start))),
    disc(known(event.type), 28),
    h(
      'span.what',
      null,
      h('b', null, event.type),
      h('span.value', null, summary({ id: '', properties: {}, ...event, event_type_id: known(event.type).id })),
      event.notes && h('span.note', null, event.notes.replace(/\s+/g, ' ')),
    ),
    h('span.end'),
  );
}

/**
 * Returns the skipped and unrecognized rows with their reasons.
 * @param {Preview} found
 */
function details(found) {
  const skipped = Object.entries(found.skipped).sort((a, b) => Number(b[1]) - Number(a[1]));
  if (!skipped.length && !found.bad) return [];
  return [
    h(
      'details',
      null,
      h(
        'summary',
        { dataset: { key: 'in-details' } },
        texts.imports.skipped(sum(skipped.map(([, n]) => Number(n))) + found.bad),
      ),
      h(
        'ul.rows',
        null,
        skipped.map(([what, n]) =>
          h('li', null, h('div.plain-row', null, h('span.what', null, what), h('span.quiet', null, count(Number(n))))),
        ),
        found.problems.map((/** @type {string} */ text) =>
          h('li', null, h('div.plain-row', null, glyph('warn', '.s16.danger'), h('span.what.small', null, text))),
        ),
      ),
    ),
  ];
}

function zoneChoice() {
  const mine = /** @type {NonNullable<typeof current>} */ (current);
  return zoneField(texts.imports.zone, mine.zone, [], 'in-zone', (name) => {
    mine.zone = name;
    mine.isOtherZone = false;
    const now = ++turn;
    look(now).catch((error) => fail(now, error));
  }).element;
}

/** @param {Preview} result */
function outcome(result) {
  const n = Math.max(result.new.event ?? 0, 0);
  const others = Object.entries(result.new)
    .filter(([kind]) => kind !== 'event')
    .map(([kind, n]) => texts.imports.kinds[/** @type {keyof typeof texts.imports.kinds} */ (kind)]?.(Number(n)) ?? '')
    .filter(Boolean);
  const isAnything = n + others.length + result.new_readings > 0;
  if (!isAnything)
    return [
      result.known + result.known_readings ? texts.imports.allKnown : texts.imports.holdsNothing(result.format_name),
      ...result.remarks,
    ].join(' ');
  return [
    texts.imports.imported(n, result.known),
    others.length ? texts.imports.also(others) : '',
    result.new_readings ? texts.imports.positions(result.new_readings) : '',
    ...result.remarks,
  ]
    .filter(Boolean)
    .join(' ');
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((all, n) => all + n, 0);
