// Queue of writes to the hub. Each write is stored in this browser before it appears as done, and writes are sent in
// order. A write has an idempotency key, which makes retries harmless. From the record version that the user saw and
// the time of the edit, the hub merges the write with edits from other devices.

import { ask, hubTime, newId, Refused, Unreachable } from './api.js';
import { deleteWrite, storeWrite, storedWrites, onStoreLost, persist } from './storage.js';
import { currentUser } from './preferences.js';
import { dayOfEvent } from './days.js';

/**
 * @typedef {object} Write
 * @property {number} [n] position in the queue, or missing if the write could not be stored
 * @property {string} key
 * @property {'POST' | 'PATCH' | 'DELETE'} method
 * @property {string} path
 * @property {Api.Patch} [body]
 * @property {string} kind first segment of the path, for example `events`
 * @property {string} id of the entity
 * @property {Api.Entity} [before] entity before a change or deletion
 * @property {string} [tolerates] kind of problem that counts as success
 * @property {Api.Entity} [after] restored entity of a restore
 * @property {boolean} [isStop] whether the write ends a running event; no effect if it has already ended
 * @property {string} [seen] version of the record that the user saw
 * @property {number} [incarnation] incarnation that the user saw, for a deletion
 * @property {number} at time of the edit in milliseconds since 1970
 * @property {number} time `at` by the hub's clock
 * @property {'waiting' | 'sending' | 'sent' | 'refused'} state
 * @property {string} [reason] why the hub rejected the write
 * @property {string} [refusal] kind of the problem
 * @property {number} [sentAt] time of sending by this page's clock
 * @property {(error: Error | null) => void} [settled] called with the result of a write that could not be stored
 */

/** Error: a write was neither stored in this browser nor accepted by the hub. */
export class NotRecorded extends Error {}

/** @type {Write[]} */
let writes = [];
/** @type {(() => void)[]} */
const listeners = [];
let isSending = false;
let isWanted = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let pause = 1000;

/** @param {() => void} listener */
export const onQueue = (listener) => {
  listeners.push(listener);
};
const notify = () => {
  for (const listener of listeners) listener();
};

/** @param {Write} write */
const isPending = (write) => write.state === 'waiting' || write.state === 'sending';
export const waiting = () => writes.filter(isPending);
/** Number of writes sent since the queue was last empty. */
let sent = 0;
export const progress = () => ({ at: sent + 1, all: sent + waiting().length });
export const refused = () => writes.filter((write) => write.state === 'refused');

/**
 * State of the stored queue: `unread` until the queue has been read, `refused` if the browser does not store it.
 * @type {'unread' | 'known' | 'refused'}
 */
let storage = 'unread';
/** Whether the browser refused to store the last write. */
let isRefusing = false;
export const storageState = () => (isRefusing ? 'refused' : storage);

/**
 * Channel that notifies the user's other tabs of changes to the queue.
 * @type {BroadcastChannel | null}
 */
let channel = null;
const notifyPages = () => channel?.postMessage('changed');

/**
 * Returns the name of a channel or lock shared by one user's tabs.
 * @param {string} name
 */
const shared = (name) => `${name}-${currentUser()}`;

/** Reads the stored queue and follows changes by other tabs. */
export async function resume() {
  if (!channel && 'BroadcastChannel' in window) {
    channel = new BroadcastChannel(shared('trendy-queue'));
    channel.addEventListener('message', () => adopt().then(notify, unreadable));
  }
  await adopt().catch(unreadable);
  notify();
  flush();
}

// Store pending writes again at once, because the tab may be closed before they are sent.
onStoreLost(() => {
  adopt().then(notify, unreadable);
});

/** @param {unknown} error */
function unreadable(error) {
  console.error(error);
  if (storage === 'refused') return;
  storage = 'refused';
  notify();
}

/** Generation of the database that the queue was last read from. */
let generation = '';

/**
 * Pending read of the queue. Reads must not overlap: two concurrent reads would store writes twice.
 * @type {Promise<void>}
 */
let adopting = Promise.resolve();

/** Updates the queue in memory from the stored queue. */
function adopt() {
  adopting = adopting.catch(() => {}).then(adoptNow);
  return adopting;
}

async function adoptNow() {
  // Writes added during the read may be missing from its result.
  const known = writes.filter((write) => write.n !== undefined);
  let kept = await storedWrites();
  if (generation && kept.generation !== generation) {
    // The browser has deleted the database, so only open tabs still have the pending writes.
    if (navigator.locks) await navigator.locks.request(shared('trendy-store'), () => storeAgain(known));
    else await storeAgain(known);
    kept = await storedWrites();
  }
  generation = kept.generation;
  storage = 'known';
  const keys = new Set(kept.writes.map((write) => write.key));
  for (const write of kept.writes) {
    const own = writes.find((other) => other.key === write.key);
    const state = write.state === 'refused' ? 'refused' : 'waiting';
    if (!own) writes.push({ ...write, state });
    else if (['waiting', 'refused'].includes(own.state) && own.state !== state) Object.assign(own, write, { state });
    else own.n = write.n;
  }
  for (const write of known.filter((each) => !keys.has(each.key))) {
    // Another tab has sent or discarded the write.
    if (write.state === 'waiting') settle(write);
    else if (write.state === 'refused') writes = writes.filter((other) => other !== write);
  }
  writes.sort((a, b) => (a.n ?? Infinity) - (b.n ?? Infinity) || a.at - b.at);
}

/** @param {Write[]} known writes from a deleted database */
async function storeAgain(known) {
  const keys = new Set((await storedWrites()).writes.map((write) => write.key));
  for (const write of known) {
    if (write.state === 'sent' || keys.has(write.key)) continue;
    await storeWrite({ ...write, state: write.state === 'refused' ? 'refused' : 'waiting' });
  }
}

/**
 * Stores a write, displays it, and sends it. If storing fails, sends the write immediately.
 * @param {Pick<Write, 'method' | 'path' | 'kind' | 'id'> & Partial<Write>} write
 * @throws {NotRecorded | Refused} if the write was neither stored nor accepted by the hub
 */
export async function enqueue(write) {
  /** @type {Write} */
  const made = { ...write, key: newId(), at: Date.now(), time: Math.round(hubTime()), state: 'waiting' };
  try {
    made.n = await storeWrite({ ...made }, lastPlace());
    isRefusing = false;
  } catch (error) {
    console.error(error);
    isRefusing = true;
    return sendAtOnce(made);
  }
  if (!writes.some((other) => other.key === made.key)) writes.push(made);
  notify();
  notifyPages();
  flush();
}

const lastPlace = () => Math.max(0, ...writes.map((write) => write.n ?? 0));

/**
 * Sends a write that could not be stored, after all pending writes have been sent.
 * @param {Write} write
 */
async function sendAtOnce(write) {
  const end = new Promise((resolve) => {
    write.settled = resolve;
  });
  writes.push(write);
  notify();
  flush();
  const error = await end;
  if (!error) return;
  writes = writes.filter((other) => other !== write);
  notify();
  throw error;
}

/** @param {Write} write */
export async function discardWrite(write) {
  if (write.n !== undefined) await deleteWrite(write.key);
  writes = writes.filter((other) => other !== write);
  notify();
  notifyPages();
}

/** @param {Write} write */
export async function retryWrite(write) {
  const again = { ...write, state: /** @type {const} */ ('waiting') };
  delete again.reason;
  delete again.refusal;
  if (again.n !== undefined) await storeWrite({ ...again });
  Object.assign(write, again, { reason: undefined, refusal: undefined });
  notify();
  notifyPages();
  flush();
}

/** Sends pending writes in order, unless another tab is already doing so. */
export function flush() {
  isWanted = true;
  if (isSending) return;
  isSending = true;
  clearTimeout(timer);
  flushAll();
}

async function flushAll() {
  try {
    // Writes queued during a round go out in the next one.
    while (isWanted) {
      isWanted = false;
      // Use a lock if possible. Locks are available only on secure origins. Without a lock, two tabs may send the same
      // write, which is still applied once.
      if (navigator.locks) await navigator.locks.request(shared('trendy-queue'), send);
      else await send();
    }
  } catch (error) {
    console.error(error);
    timer = setTimeout(flush, pause);
  } finally {
    isSending = false;
  }
}

async function send() {
  // If the stored queue cannot be read, send the writes in memory.
  await adopt().catch(unreadable);
  for (const write of [...writes]) {
    if (write.state !== 'waiting') continue;
    write.state = 'sending';
    notify();
    try {
      await askOnce(write);
      pause = 1000;
      await done(write);
    } catch (error) {
      write.state = 'waiting';
      if (error instanceof Refused && error.kind === write.tolerates) {
        await done(write);
      } else if (error instanceof Refused && isFinal(error)) {
        await setAside(write, error);
      } else {
        return retryLater(error);
      }
    }
  }
}

/**
 * Returns whether a retry would be rejected as well.
 * @param {Refused} error
 */
const isFinal = (error) => !error.passes && error.status !== 401 && error.kind !== 'other_person';

/** @param {Write} write */
async function askOnce(write) {
  /** @type {Record<string, string>} */
  const headers = {
    'Idempotency-Key': write.key,
    // Without a version, the author has seen only this browser's own writes.
    'Trendy-Version': write.seen ?? '.0',
    'Trendy-Time': String(write.time),
  };
  if (write.incarnation !== undefined) headers['Trendy-Incarnation'] = String(write.incarnation);
  try {
    await ask(write.method, write.path, write.body, headers);
  } catch (error) {
    // A write that could not be stored is retried immediately: the response to the first attempt may have been lost.
    if (!(error instanceof Unreachable) || !write.settled) throw error;
    await ask(write.method, write.path, write.body, headers);
  }
}

/** @param {Write} write */
async function done(write) {
  settle(write);
  write.settled?.(null);
  // If the deletion fails, the write will be sent again, which changes nothing.
  if (write.n !== undefined) await deleteWrite(write.key).catch(unreadable);
  notifyPages();
}

/**
 * @param {Write} write
 * @param {Refused} error
 */
async function setAside(write, error) {
  const isOwnCreate = write.method === 'POST' && write.path === `/${write.kind}` && write.body?.id === write.id;
  if (isOwnCreate && error.kind === 'duplicate') {
    // An earlier attempt to save this form has created the entity, so turn the values into an edit of it.
    const path = `${write.path}/${encodeURIComponent(write.id)}`;
    Object.assign(write, { method: 'PATCH', path, before: write.body });
    if (write.n !== undefined) await storeWrite({ ...write, state: 'waiting' }).catch(unreadable);
    isWanted = true;
    return;
  }
  if (write.settled) return write.settled(error);
  Object.assign(write, { state: 'refused', reason: error.message, refusal: error.kind });
  await storeWrite({ ...write }).catch(unreadable);
  notify();
  notifyPages();
}

/** @param {unknown} error */
function retryLater(error) {
  for (const write of writes.filter((each) => each.settled && isPending(each))) write.settled?.(new NotRecorded());
  if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
  if (error instanceof Unreachable && waiting().some((write) => write.n !== undefined)) persist().catch(console.error);
  notify();
  if (error instanceof Refused && (error.status === 401 || error.kind === 'other_person')) return;
  const wait = error instanceof Refused && error.status === 429 ? error.retryAfter * 1000 : pause;
  pause = Math.min(pause * 2, 30_000);
  timer = setTimeout(flush, wait);
}

/** Time at which the hub last responded to a write, by this page's clock. */
let lastAnswer = -Infinity;
export const lastSent = () => lastAnswer;

/**
 * Marks a write as sent. The write stays visible until a later response includes it.
 * @param {Write} write
 */
function settle(write) {
  write.state = 'sent';
  write.sentAt = lastAnswer = performance.now();
  writes = writes.filter(
    (other) => other.state !== 'sent' || /** @type {number} */ (other.sentAt) > performance.now() - 60_000,
  );
  sent = waiting().length ? sent + 1 : 0;
  notify();
}

/**
 * Returns the writes that a response may not include yet.
 * @param {string} kind
 * @param {number} askedAt time of the request by this page's clock
 */
const unseen = (kind, askedAt) =>
  writes.filter(
    (write) =>
      write.kind === kind && write.state !== 'refused' && !(write.sentAt !== undefined && write.sentAt < askedAt),
  );

/**
 * Applies a merge patch (RFC 7396), with an event's properties merged by key.
 * @param {Api.Entity} entity
 * @param {Api.Patch} patch
 */
export function merged(entity, patch) {
  const result = { ...entity };
  for (const [name, value] of Object.entries(patch)) {
    if (name === 'properties' && value) {
      result.properties = { ...(entity.properties ?? {}) };
      for (const [key, property] of Object.entries(value)) {
        if (property === null) delete result.properties[key];
        else result.properties[key] = property;
      }
    } else {
      result[name] = value;
    }
  }
  return result;
}

/**
 * @param {Write} write
 * @param {Api.Entity} old
 */
function changed(write, old) {
  // Ending an event a second time does not move its end.
  return write.isStop && old.end_date ? old : merged(old, write.body ?? {});
}

/**
 * Returns the entity produced by a create or restore.
 * @param {Write} write
 * @returns {Api.Entity}
 */
const madeBy = ({ id, after, body }) =>
  after ? { ...after, incarnation: (after.incarnation ?? 0) + 1 } : { ...body, id };

/**
 * Returns a string that identifies the writes applied to a list by `overlaid`.
 * @param {string} kind
 */
export const writesVersion = (kind) =>
  writes
    .filter((write) => write.kind === kind)
    .map((write) => `${write.key} ${write.method} ${write.state}`)
    .join();

/**
 * Returns one of the hub's lists with pending writes applied.
 * @template {{id: string}} T
 * @param {string} kind
 * @param {T[]} list as returned by the hub
 * @param {number} askedAt
 * @param {(entity: T) => boolean} [belongs] whether a new entity belongs to the list
 * @returns {T[]}
 */
export function overlaid(kind, list, askedAt, belongs = () => true) {
  const fits = (/** @type {Api.Entity} */ entity) => belongs(/** @type {any} */ (entity));
  /** @type {Map<string, Api.Entity>} */
  const all = new Map(list.map((entity) => [entity.id, entity]));
  for (const write of unseen(kind, askedAt)) {
    const waits = write.state !== 'sent';
    if (write.method === 'DELETE') {
      all.delete(write.id);
    } else if (write.method === 'PATCH' || write.isStop) {
      const old = all.get(write.id) ?? write.before;
      if (!old) continue;
      const next = { ...changed(write, old), waits };
      if (all.has(write.id) || fits(next)) all.set(write.id, next);
    } else {
      const made = madeBy(write);
      if (fits(made) && !all.has(write.id)) all.set(write.id, { ...made, waits });
    }
  }
  return /** @type {any} */ ([...all.values()].filter(fits));
}

/**
 * Returns daily counts with pending writes applied.
 * @param {Map<string, Record<string, number>>} days by date, then by type
 * @param {number} askedAt
 */
export function overlaidDays(days, askedAt) {
  for (const { event, count } of unseenEvents(askedAt)) {
    const date = dayOfEvent(event);
    const counts = { ...(days.get(date) ?? {}) };
    counts[event.event_type_id] = Math.max(0, (counts[event.event_type_id] ?? 0) + count);
    days.set(date, counts);
  }
  return days;
}

/**
 * Returns the events by which a response's counts are off: 1 if not counted yet, -1 if deleted but still counted.
 * @param {number} askedAt time of the request by this page's clock
 * @returns {{event: Api.Event, count: 1 | -1}[]}
 */
export function unseenEvents(askedAt) {
  /** @type {{event: Api.Event, count: 1 | -1}[]} */
  const found = [];
  const add = (/** @type {Api.Entity | undefined} */ event, /** @type {1 | -1} */ count) => {
    if (event?.timestamp) found.push({ event: /** @type {any} */ (event), count });
  };
  /** @type {Map<string, Api.Entity>} */
  const made = new Map();
  for (const write of unseen('events', askedAt)) {
    const old = made.get(write.id) ?? write.before;
    if (write.method === 'POST' && !write.isStop) {
      made.set(write.id, madeBy(write));
      add(made.get(write.id), 1);
    } else if (write.method === 'DELETE') {
      add(old, -1);
    } else if (old) {
      add(old, -1);
      made.set(write.id, changed(write, old));
      add(made.get(write.id), 1);
    }
  }
  return found;
}
