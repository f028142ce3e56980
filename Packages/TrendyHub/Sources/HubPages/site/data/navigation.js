// The address is the state of a page: what it shows, which range, which types.

/** @type {(() => void)[]} */
const listeners = [];
/** @param {() => void} listener */
export const onAddress = (listener) => {
  listeners.push(listener);
};
const tell = () => {
  for (const listener of listeners) listener();
};

/** Reads what the page at the address shows anew. */
export const again = tell;

/** How many steps this page stands behind the first one of this visit; kept with each entry of the history. */
let steps = Number(history.state?.steps) || 0;
history.replaceState({ steps }, '');

/**
 * Goes to a page; a filter of the same page replaces.
 * @param {string} address
 * @param {boolean} [isFilter]
 */
export function go(address, isFilter = false) {
  if (address === location.pathname + location.search) return;
  if (!isFilter) steps += 1;
  if (isFilter) history.replaceState({ steps }, '', address);
  else history.pushState({ steps }, '', address);
  tell();
}

/**
 * The same page with other items in its query; empty ones are left out.
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
 * What lies over the page, and closes by going back in place of the page.
 * @type {(() => boolean) | null}
 */
let cover = null;
/** @param {() => boolean} close says whether anything lay over the page; the page stays then */
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
  tell();
});
