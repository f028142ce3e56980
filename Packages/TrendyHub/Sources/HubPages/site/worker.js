// Keeps the pages themselves for when the hub cannot be reached. What a person recorded is kept by the pages, not here.
const worker = /** @type {ServiceWorkerGlobalScope & typeof globalThis} */ (/** @type {unknown} */ (self));
const CACHE = 'pages-{{version}}';
const FILES = ['/', '/manifest.webmanifest', ...'{{files}}'.split(' ')];

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
    // The hub's own page while it answers, so that a new version is there at once.
    event.respondWith(fetch(request).catch(async () => (await caches.match('/')) ?? Response.error()));
  } else if (pathname.startsWith('/assets/') || pathname === '/manifest.webmanifest') {
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
  }
});
