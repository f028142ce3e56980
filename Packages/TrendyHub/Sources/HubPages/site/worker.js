// Service worker that caches the site for offline use. Entries are stored by the pages, not here.
const worker = /** @type {ServiceWorkerGlobalScope & typeof globalThis} */ (/** @type {unknown} */ (self));
const CACHE = 'pages-{{version}}';
// The places page has its own document, which may request the location. Offline, all other pages use `/`.
const FILES = ['/', '/places', '/manifest.webmanifest', ...'{{files}}'.split(' ')];

/**
 * Fetches the page from the hub, so an update takes effect immediately. Falls back to the cached page after 3 seconds.
 * @param {Request} request
 */
async function page(request) {
  const asked = fetch(request);
  const silence = new Promise((_, reject) => setTimeout(reject, 3000));
  try {
    return /** @type {Response} */ (await Promise.race([asked, silence]));
  } catch {
    const stored = await caches.match(new URL(request.url).pathname.startsWith('/places') ? '/places' : '/');
    if (!stored) return asked;
    asked.catch(() => {});
    return stored;
  }
}

worker.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
  );
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin || pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate') {
    event.respondWith(page(request));
  } else if (pathname.startsWith('/assets/') || pathname === '/manifest.webmanifest') {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});
