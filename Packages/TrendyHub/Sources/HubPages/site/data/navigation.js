// Navigation. The URL contains a page's state, such as its range and types.

/** @type {(() => void)[]} */
const listeners = [];
/** @param {() => void} listener */
export const onAddress = (listener) => {
  listeners.push(listener);
};
const notify = () => {
  for (const listener of listeners) listener();
};

/** Reloads the page at the current URL. */
export const again = notify;

/** Redraws the page from the data it has loaded. */
export let drawAgain = () => {};
/** @param {() => void} draw */
export const onDraw = (draw) => {
  drawAgain = draw;
};

/** Position of this page in the history of the visit, stored with each history entry. */
let steps = Number(history.state?.steps) || 0;
history.replaceState({ steps }, '');

/**
 * Navigates to a URL. Changing a filter replaces the current history entry.
 * @param {string} address
 * @param {boolean} [isFilter]
 */
export function go(address, isFilter = false) {
  if (address === location.pathname + location.search) return;
  if (!isFilter) steps += 1;
  if (isFilter) history.replaceState({ steps }, '', address);
  else history.pushState({ steps }, '', address);
  notify();
}

/**
 * Returns the URL of the same page with changed query items. Empty items are removed.
 * @param {Record<string, string | null>} items
 */
export function withQuery(items) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(items)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString().replaceAll('%2C', ',');
  return location.pathname + (text ? `?${text}` : '');
}

/**
 * Closes the topmost sheet and returns whether one was open. Navigating back closes a sheet instead of leaving the
 * page.
 * @type {(() => boolean) | null}
 */
let cover = null;
/** @param {() => boolean} close returns whether a sheet was open, in which case the page stays */
export const onBack = (close) => {
  cover = close;
};

let isReturning = false;
window.addEventListener('popstate', (event) => {
  if (isReturning) {
    isReturning = false;
    return;
  }
  const there = Number(event.state?.steps) || 0;
  if (there !== steps && cover?.()) {
    isReturning = true;
    history.go(steps - there);
    return;
  }
  steps = there;
  notify();
});
