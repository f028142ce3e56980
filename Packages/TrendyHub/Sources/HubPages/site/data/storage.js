// Browser storage for pending writes and for responses needed offline. Each user has a separate database.

import { newId } from './id.js';
import { deleteUser, knownUsers, preference, setPreference } from './preferences.js';

const PREFIX = 'trendy-';
/** Timeout of a database operation in milliseconds, which is shortened after the first timeout. */
let patience = 5000;

/** Called when the browser or another tab has deleted or closed the database. */
let onLost = () => {};
/** @param {() => void} listener */
export const onStoreLost = (listener) => {
  onLost = listener;
};

/** Id of the user whose database is used, or empty until a user is paired. */
let owner = '';
/** @type {Promise<IDBDatabase> | null} */
let opening = null;
/** @type {Set<IDBOpenDBRequest>} */
const requests = new Set();

// A page in the back-forward cache must release a database that it was creating, or else no other page could open it.
addEventListener('pagehide', () => {
  for (const request of requests) {
    if (request.transaction) request.transaction.abort();
    else if (request.readyState === 'done' && !request.error) request.result.close();
  }
  requests.clear();
  opening = null;
});

/**
 * Asks the browser, once, not to delete stored data. Called when a pending entry depends on that data.
 * @returns {Promise<void>}
 */
export async function persist() {
  if (preference(PERSISTENCE) === 'granted' || hasAsked) return;
  hasAsked = true;
  const isGranted = (await navigator.storage?.persist?.().catch(() => false)) ?? false;
  setPreference(PERSISTENCE, isGranted ? 'granted' : 'refused');
}
const PERSISTENCE = 'persistence';
let hasAsked = false;

/** Returns whether the browser has refused to protect stored data. */
export const refusesToPersist = () => preference(PERSISTENCE) === 'refused';

/** @param {string} person id of the user whose database is to be used */
export function useStore(person) {
  if (person !== owner) opening = null;
  owner = person;
}

/**
 * @param {string} person
 * @returns {Promise<IDBDatabase>}
 */
function connect(person) {
  return new Promise((resolve, reject) => {
    const mine = indexedDB.open(PREFIX + person, 1);
    requests.add(mine);
    mine.onupgradeneeded = () => {
      mine.result.createObjectStore('answers');
      mine.result.createObjectStore('queue', { keyPath: 'key' }).createIndex('n', 'n');
      // Random id that distinguishes a recreated database from an earlier one that a page has read.
      mine.result.createObjectStore('about').put(newId(), 'generation');
    };
    mine.onsuccess = () => {
      // The browser or another tab is deleting the database. The next access opens a new one.
      const forget = () => {
        mine.result.close();
        opening = null;
        if (person === owner) onLost();
      };
      mine.result.onversionchange = forget;
      mine.result.onclose = forget;
      resolve(mine.result);
    };
    mine.onerror = () => reject(mine.error);
    mine.onblocked = () => reject(new Error('another page blocks the database'));
  });
}

function open() {
  if (!opening) {
    const mine = (opening = connect(owner));
    mine.catch(() => {
      if (opening === mine) opening = null;
    });
  }
  return opening;
}

/**
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
function inTime(work) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      patience = 200;
      reject(new Error('the database does not answer'));
    }, patience);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * @template T
 * @param {string[]} names of stores
 * @param {IDBTransactionMode} mode
 * @param {(transaction: IDBTransaction) => () => T} body returns a function that reads the result after completion
 * @returns {Promise<T>} resolves once the transaction is complete
 */
async function run(names, mode, body) {
  /**
   * @param {IDBDatabase} database
   * @returns {Promise<T>}
   */
  const transact = (database) =>
    new Promise((resolve, reject) => {
      const isQueue = mode === 'readwrite' && names.includes('queue');
      const transaction = database.transaction(names, mode, { durability: isQueue ? 'strict' : 'default' });
      const result = body(transaction);
      transaction.oncomplete = () => resolve(result());
      transaction.onerror = transaction.onabort = () =>
        reject(transaction.error ?? new Error('the database refused it'));
    });
  const whole = async () => {
    try {
      return await transact(await open());
    } catch (error) {
      // The database was closed or deleted after it had been opened, so retry with a new connection.
      if (!['InvalidStateError', 'NotFoundError'].includes(error instanceof DOMException ? error.name : ''))
        throw error;
      opening = null;
      return transact(await open());
    }
  };
  return inTime(whole());
}

/**
 * @template T
 * @param {'answers' | 'queue'} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} body
 * @returns {Promise<T>}
 */
const runOne = (name, mode, body) =>
  run([name], mode, (transaction) => {
    const request = body(transaction.objectStore(name));
    return () => request.result;
  });

/**
 * @param {string} path
 * @param {unknown} answer
 */
export const storeResponse = (path, answer) =>
  runOne('answers', 'readwrite', (store) => store.put({ at: Date.now(), answer }, path));
/**
 * @param {string} path
 * @returns {Promise<{at: number, answer: any} | undefined>}
 */
export const storedResponse = (path) => runOne('answers', 'readonly', (store) => store.get(path));
/**
 * Stores a write at its position in the queue. A write without a position is appended.
 * @param {import('./queue.js').Write} write
 * @param {number} [after] position that a new write must follow
 * @returns {Promise<number>} position
 */
export const storeWrite = (write, after = 0) =>
  run(['queue'], 'readwrite', (transaction) => {
    const store = transaction.objectStore('queue');
    let n = write.n ?? 0;
    if (write.n === undefined) {
      const last = store.index('n').openCursor(null, 'prev');
      last.onsuccess = () => {
        n = Math.max(last.result?.value.n ?? 0, after) + 1;
        store.put({ ...write, n });
      };
    } else {
      store.put(write);
    }
    return () => n;
  });
/** @param {string} key */
export const deleteWrite = (key) => runOne('queue', 'readwrite', (store) => store.delete(key));
/**
 * Reads all writes in order, and the generation of the database.
 * @returns {Promise<{generation: string, writes: import('./queue.js').Write[]}>}
 */
export const storedWrites = () =>
  run(['queue', 'about'], 'readonly', (transaction) => {
    const writes = transaction.objectStore('queue').getAll();
    const generation = transaction.objectStore('about').get('generation');
    return () => ({ generation: generation.result, writes: writes.result.sort((a, b) => a.n - b.n) });
  });

/** Deletes responses older than 30 days. */
export async function deleteOldResponses() {
  const old = Date.now() - 30 * 86_400_000;
  await runOne('answers', 'readwrite', (store) => {
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

// MARK: Other users

/**
 * @param {string} person
 * @returns {Promise<import('./queue.js').Write[]>} queue of a user other than the current one
 */
async function queueOf(person) {
  const database = await connect(person);
  try {
    return await new Promise((resolve, reject) => {
      const all = database.transaction('queue').objectStore('queue').getAll();
      all.onsuccess = () => resolve(all.result);
      all.onerror = () => reject(all.error);
    });
  } finally {
    database.close();
  }
}

/**
 * Deletes everything that this browser has stored for a user.
 * @param {string} person
 */
export async function deleteStore(person) {
  deleteUser(person);
  if (person === owner) {
    const mine = opening;
    owner = '';
    opening = null;
    await mine?.then(
      (database) => database.close(),
      () => {},
    );
  }
  await inTime(
    new Promise((resolve, reject) => {
      const deletion = indexedDB.deleteDatabase(PREFIX + person);
      deletion.onsuccess = () => resolve(null);
      deletion.onerror = () => reject(deletion.error);
    }),
  );
}

/**
 * Returns other users' unsent writes. Databases of users without unsent writes are deleted.
 * @param {string} person id of the current user
 * @returns {Promise<{person: string, name: string, writes: import('./queue.js').Write[]}[]>}
 */
export async function unsentWrites(person) {
  const names = knownUsers();
  const databases = await inTime(indexedDB.databases?.() ?? Promise.resolve([]));
  const stored = databases.map(({ name }) => name ?? '').filter((name) => name.startsWith(PREFIX));
  const others = new Set([...Object.keys(names), ...stored.map((name) => name.slice(PREFIX.length))]);
  others.delete(person);
  const found = [];
  for (const other of others) {
    const writes = await inTime(queueOf(other));
    if (writes.length) found.push({ person: other, name: names[other] ?? '', writes });
    else await deleteStore(other);
  }
  return found;
}
