// The address is the state of a page: what it shows, which range, which types.

/** @type {(() => void)[]} */
const listeners = [];
/** @param {() => void} listener */
export const onAddress = (listener) => { listeners.push(listener); };
const tell = () => { for (const listener of listeners) listener(); };

/** Goes to a page; a filter of the same page replaces. @param {string} address @param {boolean} [isFilter] */
export function go(address, isFilter = false) {
  if (address === location.pathname + location.search) return;
  if (isFilter) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  tell();
}

/** The same page with other items in its query; empty ones are left out. @param {Record<string, string | null>} items */
export function withQuery(items) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(items)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString().replaceAll('%2C', ',');
  return location.pathname + (text ? `?${text}` : '');
}

window.addEventListener('popstate', tell);
