// What this browser keeps: the last answers, to read while the hub is away, and the writes that wait for it.

/** @type {Promise<IDBDatabase> | null} */
let opening = null;
/** @type {IDBOpenDBRequest | null} */
let request = null;

// A browser may keep a page that was left as it was, with a database that it had begun to make: no later page could open that.
addEventListener('pagehide', () => {
  if (request?.transaction) request.transaction.abort();
  else if (request?.readyState === 'done' && !request.error) request.result.close();
  opening = request = null;
});

function open() {
  opening ??= new Promise((resolve, reject) => {
    const mine = request = indexedDB.open('trendy', 1);
    mine.onupgradeneeded = () => {
      mine.result.createObjectStore('answers');
      mine.result.createObjectStore('queue', { keyPath: 'n', autoIncrement: true });
    };
    mine.onsuccess = () => resolve(mine.result);
    mine.onerror = () => reject(mine.error);
  });
  return opening;
}

/**
 * @template T
 * @param {'answers' | 'queue'} name @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} body
 * @returns {Promise<T>} when it is durable
 */
async function run(name, mode, body) {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, mode, { durability: mode === 'readwrite' && name === 'queue' ? 'strict' : 'default' });
    const request = body(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

/** @param {string} path @param {any} answer */
export const keepAnswer = (path, answer) => run('answers', 'readwrite', (store) => store.put({ at: Date.now(), answer }, path));
/** @param {string} path @returns {Promise<{at: number, answer: any} | undefined>} */
export const keptAnswer = (path) => run('answers', 'readonly', (store) => store.get(path));
/** @param {any} write @returns {Promise<number>} its number in the queue */
export const keepWrite = (write) => run('queue', 'readwrite', (store) => store.put(write));
/** @param {number} n */
export const forgetWrite = (n) => run('queue', 'readwrite', (store) => store.delete(n));
/** In their order. @returns {Promise<any[]>} */
export const keptWrites = () => run('queue', 'readonly', (store) => store.getAll());

/** Everything of the person: for a browser that leaves the hub. */
export async function forgetAll() {
  await run('answers', 'readwrite', (store) => store.clear());
  await run('queue', 'readwrite', (store) => store.clear());
}

/** Answers of which nobody asked for a month. */
export async function tidy() {
  const old = Date.now() - 30 * 86_400_000;
  await run('answers', 'readwrite', (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor) return;
      if (cursor.value.at < old) cursor.delete();
      cursor.continue();
    };
    return request;
  });
}
