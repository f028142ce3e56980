// Navigation around every page, with the sync state.

import { h, say } from './dom.js';
import { disc, glyph } from './glyph.js';
import { clockAhead } from '../data/api.js';
import { isOwnType, reach, types } from '../data/record.js';
import { progress, refused, storageState, waiting } from '../data/queue.js';
import { length, time } from '../data/days.js';
import { texts } from '../texts.js';

const PAGES = [
  ['/', 'today', texts.nav.today],
  ['/timeline', 'timeline', texts.nav.timeline],
  ['/calendar', 'calendar', texts.nav.calendar],
  ['/insights', 'insights', texts.nav.insights],
  ['/trips', 'route', texts.nav.trips],
  ['/mileage', 'gauge', texts.nav.mileage],
  ['/places', 'pin', texts.nav.places],
];
const FOOT = [
  ['/devices', 'devices', texts.nav.devices],
  ['/data', 'data', texts.nav.data],
  ['/settings', 'settings', texts.nav.settings],
];

/**
 * Returns whether the current page is at a URL path or below it.
 * @param {string} address
 */
const isHere = (address) =>
  address === '/'
    ? location.pathname === '/'
    : location.pathname === address || location.pathname.startsWith(`${address}/`);

/**
 * @param {string} address
 * @param {Node} picture
 * @param {string} text
 * @param {string} [classes]
 */
const item = (address, picture, text, classes = '') =>
  h(
    `a.item${classes}`,
    { href: address, 'aria-current': isHere(address) ? 'page' : null, title: text },
    picture,
    h('span.text', null, text),
  );

/** @param {HTMLElement} app */
export function drawFrame(app) {
  if (!document.getElementById('main')?.matches('.framed')) {
    app.replaceChildren(
      h(
        'a.skip-link',
        {
          href: '#main',
          on: {
            click: (/** @type {Event} */ e) => {
              e.preventDefault();
              document.getElementById('main')?.focus();
            },
          },
        },
        texts.nav.skip,
      ),
      h('nav.rail', { 'aria-label': texts.nav.pages }),
      h('div.strip', { hidden: true }),
      h('main.framed', { id: 'main', tabindex: -1 }),
      h('nav.bar', { 'aria-label': texts.nav.pages }),
    );
  }
  const rail = /** @type {HTMLElement} */ (app.querySelector('.rail'));
  const focused = /** @type {HTMLElement | null} */ (
    rail.contains(document.activeElement) ? document.activeElement : null
  )?.getAttribute('href');
  const shown = types().filter((type) => !isOwnType(type));
  rail.replaceChildren(
    h('div.mark', { 'aria-hidden': 'true' }, glyph('insightsMark'), h('span.text', null, 'Trendy')),
    ...PAGES.map(([address, name, text]) => item(address, glyph(name), text)),
    h(
      'div.types',
      null,
      shown.length > 0 && h('div.heading', null, texts.nav.types),
      shown.slice(0, 6).map((type) => item(`/types/${encodeURIComponent(type.id)}`, disc(type, 22), type.name)),
      shown.length > 0 &&
        h(
          'a.item.all',
          { href: '/types', 'aria-current': location.pathname === '/types' ? 'page' : null },
          texts.nav.allTypes(shown.length),
        ),
    ),
    h(
      'div.foot',
      null,
      FOOT.map(([address, name, text]) => item(address, glyph(name), text)),
      h('div.sync', { id: 'sync' }),
    ),
  );
  if (focused) /** @type {HTMLElement | null} */ (rail.querySelector(`[href="${CSS.escape(focused)}"]`))?.focus();
  const bar = /** @type {HTMLElement} */ (app.querySelector('.bar'));
  const isMore = ['/more', '/trips', '/mileage', '/places', '/devices', '/data', '/settings', '/types'].some(isHere);
  const entry = (
    /** @type {string} */ address,
    /** @type {string} */ name,
    /** @type {string} */ text,
    isCurrent = isHere(address),
  ) => h('a', { href: address, 'aria-current': isCurrent ? 'page' : null }, glyph(name), text);
  bar.replaceChildren(
    ...PAGES.slice(0, 4).map(([address, name, text]) => entry(address, name, text)),
    entry('/more', 'more', texts.nav.more, isMore),
  );
  drawSync();
}

let spoken = '';
/** Whether an entry was pending. "All synced" is shown until `sentUntil`, a time on this page's clock. */
let hadPending = false;
let sentUntil = 0;

/** Updates the sync line in the rail and the strip above the page. */
export function drawSync() {
  const [title, detail, name, isWell] = syncText();
  const line = document.getElementById('sync');
  line?.replaceChildren(glyph(name, '.s16'), h('span.text', null, h('b', null, title), detail, syncAction()));
  const strip = /** @type {HTMLElement | null} */ (document.querySelector('.strip'));
  const isEmpty = !waiting().length;
  if (hadPending && isEmpty && isWell) {
    sentUntil = performance.now() + 4000;
    setTimeout(drawSync, 4000);
  }
  hadPending = !isEmpty && (hadPending || !isWell);
  if (strip) {
    const saysSent = isWell && performance.now() < sentUntil;
    strip.hidden = isWell && !saysSent;
    strip.replaceChildren(
      glyph(name, '.s16'),
      h('span', null, h('b', null, saysSent ? texts.sync.sent : title), saysSent ? '' : ` ${detail}`),
      syncAction() ?? '',
    );
  }
  // Announce changes of state only, not timer updates or writes in transit.
  if (isWell && !isEmpty) return;
  if (name !== spoken && spoken) say(`${title} ${detail}`, reach.isRevoked);
  spoken = name;
}

/** Returns the action for the sync state, or `null` if there is none. */
function syncAction() {
  if (reach.isRevoked)
    return h('button.button', { type: 'button', on: { click: () => location.assign('/') } }, texts.sync.pairAgain);
  return refused().length && !isHere('/devices') ? h('a.button', { href: '/devices' }, texts.sync.review) : null;
}

/** @param {number} seconds */
const span = (seconds) => (seconds < 82_800 ? length(seconds) : texts.units.days(Math.round(seconds / 86_400)));

/** @returns {[string, string, string, boolean]} title, detail, glyph, and whether all is well */
export function syncText() {
  const queue = waiting();
  if (reach.isRevoked)
    return [
      reach.isSignedOut ? texts.sync.signedOut : texts.sync.removed,
      texts.sync.stillHere(queue.length),
      'warn',
      false,
    ];
  if (!reach.isReached)
    return [texts.sync.offline(time(new Date(reach.since))), texts.sync.pendingHere(queue.length), 'offline', false];
  const lost = refused();
  if (lost.length) return [texts.sync.rejected, lost[0].reason ?? '', 'warn', false];
  if (queue.length) {
    const age = Date.now() - queue[0].at;
    const { at, all } = progress();
    return age > 3000
      ? [texts.sync.pendingSince(queue.length, length(age / 1000)), '', 'clock', false]
      : [texts.sync.sending(at, all), '', 'clock', true];
  }
  // To report "Synced", the queue must be known and storage must work.
  if (storageState() === 'unread') return [texts.sync.checking, '', 'clock', true];
  if (storageState() === 'refused') return [texts.sync.noStore, texts.sync.noStoreHint, 'warn', false];
  const ahead = clockAhead();
  if (ahead) return [texts.sync.clock(span(Math.abs(ahead)), ahead > 0), texts.sync.clockHint, 'warn', false];
  if (!reach.isLive) return [texts.sync.notLive, texts.sync.retrying, 'clock', true];
  return [
    texts.sync.good,
    reach.changedAt ? texts.sync.last(time(new Date(reach.changedAt))) : texts.sync.noChange,
    'check',
    true,
  ];
}
