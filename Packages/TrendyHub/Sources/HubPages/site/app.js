// Entry point: checks the session, draws the frame, and shows the page at the current URL.

import { ask, onOtherPerson, Refused, Unreachable } from './data/api.js';
import { go, onAddress, onDraw } from './data/navigation.js';
import { unsentWrites, deleteOldResponses, useStore } from './data/storage.js';
import {
  storeSession,
  storedSession,
  onUserChange,
  preference,
  setPreference,
  setTabPreference,
  tabPreference,
  useUser,
} from './data/preferences.js';
import { lastSent, onQueue, resume, waiting } from './data/queue.js';
import { askPosition, begin, listen, onChange, onRecord, reach, session } from './data/record.js';
import { drawFrame, drawSync } from './parts/frame.js';
import { h, say } from './parts/dom.js';
import { head } from './parts/pagehead.js';
import { listenForKeys } from './parts/shortcuts.js';
import { openUnsentSheet } from './parts/unsentsheet.js';
import { showPairing } from './pages/pair.js';
import { loadPages, pageAt } from './pages/index.js';
import { today } from './data/days.js';
import { texts } from './texts.js';

/**
 * A page. `more` loads data that is not needed to draw the page. `follow` polls data outside the record and resolves to
 * whether the page must be redrawn.
 * @template Data
 * @typedef {{
 *   title: string,
 *   load: () => Promise<Data>,
 *   more?: () => Promise<unknown>,
 *   follow?: (data: Data) => Promise<boolean>,
 *   draw: (data: Data) => Node,
 *   wants?: () => boolean,
 *   keys?: Record<string, (event: KeyboardEvent) => unknown>,
 * }} PageOf
 */
/** @typedef {PageOf<any>} Page */

const app = /** @type {HTMLElement} */ (document.getElementById('app'));

/**
 * The visible page and its data.
 * @type {Page | null}
 */
let page = null;
/** @type {{loaded: any} | null} */
let data = null;
/** Time of the last request for the page's data. */
let askedAt = 0;
/** Number of the current page load. Results from earlier loads are discarded. */
let turn = 0;
/** Whether the user has navigated. The heading then receives the focus when the new page is drawn. */
let isArrival = false;

/**
 * Shows a user's record. Everything stored in this browser is then accessed for that user.
 * @param {import('./data/preferences.js').KnownSession} of the user's session
 */
function enter(of) {
  useUser(of.person.id);
  useStore(of.person.id);
  // A session without tiles must also clear the tiles from an earlier session.
  Object.assign(session, { tiles: null }, of);
}

/**
 * @param {boolean} isPaired whether the browser has just been paired
 * @returns {Promise<void>}
 */
async function start(isPaired = false) {
  const kept = storedSession();
  const pairAgain = (/** @type {Api.Session} */ answer) =>
    showPairing(app, answer, () => start(true).catch(showFailure), waiting());
  if (kept && !session.person.id) enter(kept);
  // Request a known user's record before the session is confirmed, to save a round trip.
  const early = kept ? askPosition() : null;
  early?.catch(() => {});
  try {
    const answer = await ask('GET', '/session');
    if (!answer.paired) {
      reach.isSignedOut = true;
      if (kept) await readQueue();
      return pairAgain(answer);
    }
    const paired = /** @type {import('./data/preferences.js').KnownSession} */ (answer);
    storeSession(paired);
    // Reloading discards everything that this page has read from another user's record.
    if (session.person.id && session.person.id !== paired.person.id) return location.reload();
    enter(paired);
    Object.assign(reach, { isRevoked: false, isSignedOut: false });
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      if (!kept) return pairAgain({ paired: false, has_people: true, hub: '' });
      // Pending entries are kept, and sent once their user pairs the browser again.
      Object.assign(reach, { isRevoked: true, isSignedOut: error.kind === 'unauthorized' });
    } else if (!(error instanceof Unreachable && kept)) {
      return showFailure(error);
    }
  }
  // Missing or slow storage must not delay the page.
  const resumed = readQueue();
  try {
    await begin(early ?? askPosition());
  } catch (error) {
    await resumed;
    if (!reach.isRevoked) return showFailure(error);
    return pairAgain({ paired: false, has_people: true, hub: session.hub });
  }
  await resumed;
  drawFrame(app);
  onAddress(() => show(true));
  onDraw(soon);
  // Register this after the frame's listener, which updates the list of types.
  onChange(() => {
    soon();
    reload();
  });
  // Sums requested during a write may or may not include that write, so request them again.
  onQueue(() => {
    soon();
    if (lastSent() > askedAt) reload();
  });
  onRecord((what) => {
    if (what === 'reach') {
      drawSync();
      if (reach.isReached) load();
    }
  });
  watchPointers();
  listenForKeys(() => page?.keys ?? {});
  listen();
  onUserChange(session.person.id, () => location.reload());
  onOtherPerson(() => location.reload());
  // Move the focus to the heading, because the pairing form, which had the focus, is gone.
  await show(isPaired);
  // Storage may be unavailable.
  deleteOldResponses().catch(() => {});
  offerUnsent().catch((error) => console.error(error));
  setTimeout(() => storePages().catch((error) => console.error(error)), 1500);
  // Update running timers, and redraw the page when a new day begins.
  let day = today();
  setInterval(() => {
    drawSync();
    if (today() !== day) {
      day = today();
      load();
      storePages().catch((error) => console.error(error));
    } else if (page?.wants?.()) {
      soon();
    }
    follow().catch((error) => console.error(error));
  }, 20_000);
}

/** Reads the stored queue, waiting at most two seconds. */
const readQueue = () => Promise.race([resume(), new Promise((done) => setTimeout(done, 2000))]);

/** Offers to save or discard unsent entries from other users of this browser, once per tab. */
async function offerUnsent() {
  const found = await unsentWrites(session.person.id);
  if (!found.length || tabPreference('leftovers')) return;
  setTabPreference('leftovers', 'offered');
  openUnsentSheet(found);
}

/** Number of navigations, so a page whose module loads late does not replace a later page. */
let moves = 0;
/** Whether any navigation since a page was last shown was to a different page. */
let isMoving = false;

/**
 * @param {boolean} isMove whether this is a different page, whose heading receives the focus
 */
async function show(isMove) {
  isMoving ||= isMove;
  const mine = ++moves;
  const wanted = await pageAt(location.pathname, new URLSearchParams(location.search)).catch((error) => {
    // The page's module has never been loaded, and the hub is unreachable.
    console.error(error);
    return null;
  });
  if (mine !== moves) return;
  if (!wanted) {
    main().replaceChildren(problem(new Unreachable()));
    return;
  }
  const before = page;
  page = wanted;
  const isSame = before && before.title === page.title;
  drawFrame(app);
  if (!before || !isSame) data = null;
  document.title = texts.tab(page.title);
  isArrival ||= isMoving && !isSame;
  isMoving = false;
  await load();
}

function arrive() {
  if (!isArrival) return;
  isArrival = false;
  window.scrollTo(0, 0);
  /** @type {HTMLElement | null} */ (main().querySelector('h1'))?.focus({ preventScroll: true });
}

async function load() {
  if (!page) return;
  const mine = ++turn;
  askedAt = performance.now();
  const wanted = page;
  const late = setTimeout(() => {
    if (mine === turn && !data) main().replaceChildren(h('div.page', null, head(wanted.title, '…')));
  }, 400);
  try {
    const loaded = await wanted.load();
    if (mine !== turn) return;
    const isFirst = !data;
    data = { loaded };
    if (isFirst) redraw();
    else soon();
    // If this fails, the page stays as it is.
    wanted.more?.().then(
      () => {
        if (mine === turn) soon();
      },
      (error) => {
        if (!(error instanceof Refused) && !(error instanceof Unreachable)) console.error(error);
      },
    );
  } catch (error) {
    if (mine !== turn) return;
    // The page stays readable while the hub is unreachable.
    if (error instanceof Unreachable && data) return;
    if (error instanceof Refused && error.status === 401) return;
    main().replaceChildren(problem(error));
    arrive();
  } finally {
    clearTimeout(late);
  }
}

let isReloading = false;
let isStale = false;

/** Reloads the page's data. Changes during a reload cause a single further reload. */
async function reload() {
  isStale = true;
  if (isReloading) return;
  isReloading = true;
  try {
    while (isStale) {
      isStale = false;
      await load();
    }
  } finally {
    isReloading = false;
  }
}

/** Polls data that the change stream does not cover, while the page is visible. */
async function follow() {
  const [mine, shown] = [page, data];
  if (!mine?.follow || !shown || document.hidden || !reach.isReached) return;
  if ((await mine.follow(shown.loaded)) && mine === page && shown === data) soon();
}

const main = () => /** @type {HTMLElement} */ (document.getElementById('main'));

let isPressed = false;
let isDue = false;
let frame = 0;

/**
 * Redraws the frame and the page in the next animation frame, or after the pointer is released: an element must not be
 * replaced while it is being pressed.
 */
function soon() {
  isDue = true;
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    if (isPressed || !isDue) return;
    isDue = false;
    drawFrame(app);
    redraw();
  });
}

function watchPointers() {
  document.addEventListener(
    'pointerdown',
    () => {
      isPressed = true;
    },
    true,
  );
  // Wait for the click event, which follows the pointer event.
  for (const name of ['pointerup', 'pointercancel'])
    document.addEventListener(
      name,
      () =>
        setTimeout(() => {
          isPressed = false;
          if (isDue) soon();
        }),
      true,
    );
}

/** Loads the main pages, so they can be read offline. */
async function storePages() {
  await loadPages();
  // Visiting a page also stores it, so storing all pages once every half hour is enough.
  if (Date.now() - Number(preference('kept') ?? 0) < 1_800_000) return;
  for (const path of ['/', '/timeline', '/calendar', '/insights', '/trips', '/mileage', '/places', '/devices']) {
    const one = await pageAt(path, new URLSearchParams());
    await one.load().catch(() => {});
  }
  setPreference('kept', String(Date.now()));
}

/** Redraws the page from its data, and restores the focus and the text selection. */
function redraw() {
  if (!page || !data) return;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const key = focused && main().contains(focused) ? focused.dataset.key : undefined;
  const typed =
    key && focused instanceof HTMLInputElement ? { value: focused.value, start: focused.selectionStart } : null;
  const element = page.draw(data.loaded);
  main().replaceChildren(element);
  if (isArrival) return arrive();
  if (!key) return;
  const again = /** @type {HTMLElement | null} */ (main().querySelector(`[data-key="${CSS.escape(key)}"]`));
  again?.focus({ preventScroll: true });
  if (typed && again instanceof HTMLInputElement) {
    again.value = typed.value;
    if (typed.start !== null && again.type !== 'date') again.setSelectionRange(typed.start, typed.start);
  }
}

/** @param {unknown} error */
function problem(error) {
  const isMissing = error instanceof Refused && error.status === 404;
  const isAway = error instanceof Unreachable;
  if (!isMissing && !isAway && !(error instanceof Refused)) console.error(error);
  const text = isMissing
    ? texts.error.missing
    : isAway
      ? texts.error.away
      : error instanceof Refused
        ? error.message
        : texts.error.failed;
  say(text, true);
  return h(
    'div.page',
    null,
    h('h1', { tabindex: -1 }, page?.title ?? ''),
    h(
      'div.empty',
      null,
      h('p', null, text),
      h('button.button', { type: 'button', on: { click: () => load() } }, texts.act.tryAgain),
      h('a.button', { href: '/' }, texts.nav.today),
    ),
    error instanceof Refused && error.requestId && h('p.small.quiet', null, texts.error.request(error.requestId)),
  );
}

/** @param {unknown} error */
function showFailure(error) {
  if (!(error instanceof Refused) && !(error instanceof Unreachable)) console.error(error);
  app.replaceChildren(
    h(
      'main.alone',
      { id: 'main' },
      h('h1', null, 'Trendy'),
      h('p', null, error instanceof Error && !(error instanceof Unreachable) ? error.message : texts.error.away),
      h(
        'div',
        null,
        h(
          'button.button.primary',
          { type: 'button', on: { click: () => start().catch(showFailure) } },
          texts.act.tryAgain,
        ),
      ),
    ),
  );
}

// Follow links within the site without reloading it.
document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = /** @type {HTMLAnchorElement | null} */ (
    /** @type {Element} */ (event.target).closest?.('a[href^="/"]')
  );
  if (!link || link.target || link.hasAttribute('download') || link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  go(link.pathname + link.search);
});

// Otherwise a file dropped outside the drop zone would replace the page.
for (const name of /** @type {const} */ (['dragover', 'drop']))
  window.addEventListener(name, (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  });

let shownWidth = innerWidth;
window.addEventListener('resize', () => {
  // A phone's on-screen keyboard changes only the height, which requires no redraw.
  if (innerWidth !== shownWidth && page) soon();
  shownWidth = innerWidth;
});

window.addEventListener('online', () => {
  if (!reach.isReached) load();
});

if ('serviceWorker' in navigator && isSecureContext) {
  const path = '/worker.js';
  // Trusted Types require a policy for this script URL.
  const types = window.trustedTypes;
  const address = types
    ? types
        .createPolicy('trendy', {
          createScriptURL: (/** @type {string} */ text) => {
            if (text !== path) throw new TypeError(text);
            return text;
          },
        })
        .createScriptURL(path)
    : path;
  navigator.serviceWorker.register(address).catch(() => {});
}

start().catch(showFailure);
