import { actionForm, h, say, svg } from '../parts/dom.js';
import { glyph } from '../parts/glyph.js';
import { definePage, head } from '../parts/pagehead.js';
import { textField } from '../parts/field.js';
import { openSheet, sheetHead } from '../parts/sheet.js';
import { toast } from '../parts/toast.js';
import { deviceGlyph, deviceState, thisFirst } from '../parts/devicelist.js';
import { valueText } from '../parts/eventtext.js';
import { command } from './pair.js';
import { ask } from '../data/api.js';
import {
  change,
  isOfDeleted,
  leave,
  reach,
  read,
  recordAsNew,
  refresh,
  remove,
  restoreAndEdit,
  typeOf,
} from '../data/record.js';
import { discardWrite, refused, retryWrite, waiting } from '../data/queue.js';
import { dayOf, length, longDate, nearDate, time } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * API paths by kind of entity.
 * @type {Record<string, string>}
 */
const PATHS = {
  event: 'events',
  event_type: 'event-types',
  geofence: 'geofences',
  property_definition: 'property-definitions',
  setting: 'settings',
};

/**
 * Page with devices, pending and rejected changes, and conflicts.
 * @returns {import('../app.js').Page}
 */
export function devices() {
  return definePage({
    title: texts.nav.devices,
    async load() {
      const [list, conflicts] = await Promise.all([read('/me/devices'), read('/conflicts')]);
      const ids = [
        ...new Set(conflicts.answer.map((conflict) => `${conflict.entity_type} ${conflict.entity_id}`)),
      ].slice(0, 50);
      /** @type {Map<string, {path: string, entity: Api.Entity | null}>} */
      const about = new Map();
      await Promise.all(
        ids.map(async (key) => {
          const [kind, id] = key.split(' ');
          const path = PATHS[kind];
          if (path)
            about.set(key, {
              path,
              entity: (await read(`/${path}/${encodeURIComponent(id)}`).catch(() => ({ answer: null }))).answer,
            });
        }),
      );
      return { devices: list.answer, conflicts: conflicts.answer, about };
    },
    draw({ devices: list, conflicts, about }) {
      return h(
        'div.page',
        null,
        head(texts.nav.devices, null, [
          h(
            'button.button',
            { type: 'button', dataset: { key: 'token' }, on: { click: openToken } },
            texts.devices.token,
          ),
          h(
            'button.button.primary',
            { type: 'button', dataset: { key: 'pair' }, on: { click: openPairing } },
            texts.devices.pair,
          ),
        ]),
        h('ul.rows', null, thisFirst(list).map(deviceRow)),
        waitingList(),
        conflictList(conflicts, about),
        h(
          'section',
          null,
          h('button.button.plain.red', { type: 'button', on: { click: confirmLeave } }, texts.devices.leave),
        ),
      );
    },
  });
}

/** @param {Api.Device} device */
function deviceRow(device) {
  return h(
    'li',
    null,
    h(
      'div.plain-row.device',
      null,
      deviceGlyph(device),
      h(
        'span.what',
        null,
        h('b', null, device.name),
        ' ',
        h('span.quiet.small', null, device.current ? texts.devices.thisOne : ''),
      ),
      h(
        'span.quiet.small.state',
        null,
        deviceState(device).map((text) => h('span', null, text)),
        h('span', null, texts.devices.pairedOn(nearDate(dayOf(new Date(device.created_at))))),
      ),
      !device.current &&
        h(
          'button.button',
          {
            type: 'button',
            'aria-label': texts.act.on(texts.act.remove, device.name),
            on: { click: () => confirmRevoke(device) },
          },
          texts.act.remove,
        ),
    ),
  );
}

/** @param {Api.Device} device */
function confirmRevoke(device) {
  openSheet(device.name, (_, close) =>
    h(
      'div.content',
      null,
      sheetHead(device.name, close),
      h('p', null, texts.devices.removeHint(device.name)),
      h(
        'footer',
        null,
        h(
          'button.button.red',
          {
            type: 'button',
            on: {
              click: async () => {
                close();
                try {
                  await ask('DELETE', `/me/devices/${encodeURIComponent(device.id)}`);
                  toast(texts.devices.removed(device.name), false);
                } catch (error) {
                  toast(/** @type {Error} */ (error).message, false);
                }
                refresh();
              },
            },
          },
          texts.act.remove,
        ),
        h('button.button', { type: 'button', on: { click: close } }, texts.act.cancel),
      ),
    ),
  );
}

function confirmLeave() {
  openSheet(texts.devices.leave, (_, close) =>
    h(
      'div.content',
      null,
      sheetHead(texts.devices.leave, close),
      h('p', null, texts.devices.leaveHint),
      waiting().length > 0 && h('p.danger', null, texts.sync.stillHere(waiting().length)),
      h(
        'footer',
        null,
        h(
          'button.button.red',
          {
            type: 'button',
            on: {
              click: async () => {
                await leave();
                location.assign('/');
              },
            },
          },
          texts.devices.leave,
        ),
        h('button.button', { type: 'button', on: { click: close } }, texts.act.cancel),
      ),
    ),
  );
}

/** Shows a pairing code until a device has used it. */
function openPairing() {
  openSheet(texts.devices.pair, (sheet, close) => {
    const box = h('div.field');
    const draw = async () => {
      box.replaceChildren();
      try {
        const before = new Set((await ask('GET', '/me/devices')).map((/** @type {Api.Device} */ device) => device.id));
        const { code, expires_at: expires, picture } = await ask('POST', '/me/pairing-codes');
        const status = h('p.quiet', { role: 'status' }, texts.devices.waiting);
        const seconds = () => Math.max(0, (Date.parse(expires) - Date.now()) / 1000);
        const left = h('p.small.quiet', null, texts.devices.expires(length(seconds())));
        // The hub's public URL, or this page's origin if the hub has none.
        const address = (picture && new URL(picture.link).searchParams.get('hub')) ?? location.origin;
        box.replaceChildren(
          h('p', null, texts.devices.codeHint(address)),
          h('div.big-code', { dataset: { code } }, code),
          h('p.small.quiet', null, texts.devices.commandHint),
          command(`trendy connect ${address} ${code}`),
          ...(picture
            ? [qrCode(picture)]
            : [
                h('p.small.quiet', null, texts.devices.noPicture),
                command('trendyd hub init --url https://hub.example'),
              ]),
          left,
          status,
        );
        say(code);
        const timer = setInterval(async () => {
          if (!sheet.isConnected) return clearInterval(timer);
          left.textContent = texts.devices.expires(length(seconds()));
          if (seconds() <= 0) {
            clearInterval(timer);
            return box.replaceChildren(
              h('p', null, texts.devices.expired),
              h('button.button', { type: 'button', on: { click: draw } }, texts.devices.newCode),
            );
          }
          const now = await ask('GET', '/me/devices').catch(() => []);
          const came = now.find((/** @type {Api.Device} */ device) => !before.has(device.id));
          if (!came) return;
          clearInterval(timer);
          box.replaceChildren(h('p', { role: 'status' }, texts.devices.paired(came.name)));
          refresh();
        }, 2000);
      } catch (error) {
        box.replaceChildren(
          h('p', null, /** @type {Error} */ (error).message),
          h('button.button', { type: 'button', on: { click: draw } }, texts.act.tryAgain),
        );
      }
    };
    draw();
    return h('div.content', null, sheetHead(texts.devices.pair, close), box);
  });
}

/** Creates a token for an app that cannot use a pairing code. The token is shown only once. */
function openToken() {
  openSheet(texts.devices.token, (sheet, close) => {
    const name = textField(texts.devices.tokenName, '', { maxlength: 100, placeholder: 'OwnTracks' });
    const box = h('div.field');
    const make = async () => {
      name.wrong(name.read() ? null : texts.form.required);
      if (!name.read()) return name.input.focus();
      try {
        const made = await ask('POST', '/me/tokens', { name: name.read() });
        sheet.isChanged = false;
        box.replaceChildren(
          h('p', { role: 'status' }, texts.devices.tokenMade(made.name)),
          command(made.token),
          h('p.small.quiet', null, texts.devices.tokenAddresses),
          ...['/pub', '/overland', '/gpslogger', '/osmand'].map((path) => command(location.origin + path)),
        );
        refresh();
      } catch (error) {
        name.wrong(/** @type {Error} */ (error).message);
      }
    };
    box.replaceChildren(
      h('p', null, texts.devices.tokenHint),
      name.element,
      h('footer', null, h('button.button.primary', { type: 'submit' }, texts.devices.tokenGo)),
    );
    queueMicrotask(() => name.input.focus());
    return actionForm(make, sheetHead(texts.devices.token, close), box);
  });
}

/**
 * Returns a pairing link's QR code, dark on light in both themes.
 * @param {{link: string, size: number, path: string}} picture
 */
function qrCode({ link, size, path }) {
  // A QR code has a quiet zone four modules wide.
  return h(
    'figure.qr',
    null,
    svg(
      'svg',
      {
        viewBox: `-4 -4 ${size + 8} ${size + 8}`,
        role: 'img',
        'aria-label': texts.devices.picture,
        'shape-rendering': 'crispEdges',
      },
      svg('path', { d: path }),
    ),
    h('figcaption.small.quiet', null, link),
  );
}

function waitingList() {
  const [queue, lost] = [waiting(), refused()];
  if (!queue.length && !lost.length) return null;
  const name = (/** @type {import('../data/queue.js').Write} */ write) => {
    const entity = write.body?.name
      ? write.body
      : (write.after ?? (write.method === 'POST' ? write.body : write.before) ?? {});
    return entity.event_type_id
      ? `${typeOf(entity.event_type_id).name} ${entity.timestamp ? time(new Date(entity.timestamp)) : ''}`
      : (entity.name ?? texts.devices.kinds[/** @type {'events'} */ (write.kind)] ?? write.kind);
  };
  return [
    lost.length > 0 &&
      h(
        'section',
        null,
        h('div.section-head', null, h('h2', null, texts.devices.rejected)),
        h(
          'ul.rows',
          null,
          lost.map((write) => h('li', null, refusedRow(write, name(write)))),
        ),
      ),
    queue.length > 0 &&
      h(
        'section',
        null,
        h(
          'div.section-head',
          null,
          h('h2', null, texts.devices.pending),
          reach.isRevoked &&
            h('button', { type: 'button', on: { click: () => location.assign('/') } }, texts.sync.pairAgain),
        ),
        h(
          'ul.rows',
          null,
          queue.map((write) =>
            h(
              'li',
              null,
              h(
                'div.plain-row',
                null,
                glyph('clock'),
                h('span.what', null, name(write)),
                h('span.quiet.small', null, time(new Date(write.at))),
              ),
            ),
          ),
        ),
      ),
  ];
}

/**
 * Returns the row for a rejected change, with its reason and the possible actions.
 * @param {import('../data/queue.js').Write} write
 * @param {string} name
 */
function refusedRow(write, name) {
  const act = (/** @type {string} */ text, /** @type {() => Promise<unknown>} */ click, classes = '') =>
    h(`button.button${classes}`, { type: 'button', on: { click } }, text);
  const asNew = write.kind === 'events' ? texts.rejected.logAsNew : texts.rejected.saveAsNew;
  const acts = isOfDeleted(write)
    ? [
        act(texts.rejected.restore, () => restoreAndEdit(write)),
        act(asNew, () => recordAsNew(write, texts.toast.saved)),
      ]
    : [act(texts.act.tryAgain, () => retryWrite(write))];
  return h(
    'div.plain-row',
    null,
    glyph('warn', '.danger'),
    h(
      'span.what',
      null,
      h('b', null, name),
      ' ',
      h('span.small', null, write.reason ?? ''),
      h('div.small.quiet', null, changeText(write)),
    ),
    acts,
    act(texts.act.discard, () => discardWrite(write), '.red'),
  );
}

/**
 * Returns the values that the user entered in a change, as text.
 * @param {import('../data/queue.js').Write} write
 */
function changeText(write) {
  /** @type {Api.Patch} */
  const body = write.method === 'DELETE' ? {} : (write.body ?? {});
  const { id: _, event_type_id: __, properties = {}, ...values } = body;
  const isDate = (/** @type {string | number} */ value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
  const plain = (/** @type {string | number} */ value) =>
    isDate(value) ? `${longDate(dayOf(new Date(value)))} ${time(new Date(value))}` : value;
  const texts = Object.values(values)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(plain);
  return [
    ...texts,
    ...Object.values(properties ?? {})
      .filter(Boolean)
      .map((value) => valueText(value)),
  ].join(', ');
}

/**
 * @param {Api.Conflict[]} conflicts
 * @param {Map<string, {path: string, entity: Api.Entity | null}>} about
 */
function conflictList(conflicts, about) {
  return h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, texts.devices.conflicts)),
    !conflicts.length
      ? h('p.empty', null, texts.devices.noConflicts)
      : [
          h('p.small.quiet', { class: 'empty' }, texts.devices.conflictHint),
          h(
            'ul.rows',
            null,
            conflicts.map((conflict) => {
              const { path, entity } = about.get(`${conflict.entity_type} ${conflict.entity_id}`) ?? {
                path: '',
                entity: null,
              };
              const key = conflict.field.startsWith('properties.') ? conflict.field.slice(11) : null;
              const now = key ? entity?.properties?.[key] : entity?.[conflict.field];
              const text = (/** @type {any} */ value) =>
                value === null || value === undefined
                  ? texts.form.none
                  : key
                    ? valueText(value)
                    : typeof value === 'string'
                      ? /^\d{4}-\d\d-\d\dT/.test(value)
                        ? `${longDate(dayOf(new Date(value)))} ${time(new Date(value))}`
                        : value
                      : JSON.stringify(value);
              const title = entity?.event_type_id
                ? typeOf(entity.event_type_id).name
                : (entity?.name ?? texts.devices.deletedItem);
              const resolve = () =>
                remove('conflicts', conflict, texts.devices.keepCurrent).then(() => toast(texts.toast.saved, false));
              return h(
                'li',
                null,
                h(
                  'div.plain-row',
                  null,
                  h(
                    'span.what',
                    null,
                    h(
                      'b',
                      null,
                      texts.devices.conflict(
                        title,
                        key ?? texts.devices.fields[/** @type {'notes'} */ (conflict.field)] ?? conflict.field,
                      ),
                    ),
                    h('div.small', null, `${text(conflict.value)} → ${text(now)}`),
                  ),
                  entity &&
                    conflict.field !== '*' &&
                    h(
                      'button.button',
                      {
                        type: 'button',
                        on: {
                          click: async () => {
                            await change(
                              path,
                              entity,
                              key ? { properties: { [key]: conflict.value } } : { [conflict.field]: conflict.value },
                              texts.toast.saved,
                            );
                            await resolve();
                          },
                        },
                      },
                      texts.devices.useReplaced,
                    ),
                  h('button.button', { type: 'button', on: { click: resolve } }, texts.devices.keepCurrent),
                ),
              );
            }),
          ),
        ],
  );
}
