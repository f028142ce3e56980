// Writes, on their way to the hub. Each is kept in this browser before it is shown as done, goes out in order, and carries a key by
// which the hub knows it again: however often it is sent, it happens once.

import { ask, newId, Refused, Unreachable } from './api.js';
import { forgetWrite, keepWrite, keptWrites } from './keep.js';
import { dayOfEvent } from './days.js';

/**
 * @typedef {object} Write
 * @property {number} n place in the queue
 * @property {string} key
 * @property {'POST' | 'PATCH' | 'DELETE'} method
 * @property {string} path
 * @property {any} [body]
 * @property {string} kind first segment of the path: `events`
 * @property {string} id of the entity
 * @property {any} [before] the entity as it was, for what is taken away or changed
 * @property {string} [tolerates] a kind of refusal that means the same as done
 * @property {any} [after] the entity as it comes back, of a restore
 * @property {number} at milliseconds since 1970
 * @property {'waiting' | 'sending' | 'sent' | 'refused'} state
 * @property {string} [reason] of a refused one
 * @property {number} [sentAt] on this page's clock
 */

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
export const onQueue = (listener) => { listeners.push(listener); };
const tell = () => { for (const listener of listeners) listener(); };

export const waiting = () => writes.filter((write) => write.state === 'waiting' || write.state === 'sending');
/** How many were sent since the queue was last empty. */
let sent = 0;
/** Which of how many is on its way, since the queue was last empty. */
export const progress = () => ({ at: sent + 1, all: sent + waiting().length });
export const refused = () => writes.filter((write) => write.state === 'refused');

/** Tells the other pages of this browser that the queue holds something else: one of them may be gone before it has sent what it took. */
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('trendy-queue') : null;

/** Takes up what an earlier page left, and what other pages of this browser put in while this one is open. */
export async function resume() {
  await adopt();
  tell();
  channel?.addEventListener('message', async () => { await adopt(); tell(); });
  flush();
}

/** Makes this page's list agree with what the browser keeps. */
async function adopt() {
  // What is put in meanwhile may be missing in what is read.
  const known = [...writes];
  const kept = await keptWrites();
  const numbers = new Set(kept.map((write) => write.n));
  for (const write of kept) {
    const own = writes.find((other) => other.n === write.n);
    const state = write.state === 'refused' ? 'refused' : 'waiting';
    if (!own) writes.push({ ...write, state });
    else if (own.state === 'waiting' && state === 'refused' || own.state === 'refused' && state === 'waiting') Object.assign(own, { state, reason: write.reason });
  }
  for (const write of known.filter((each) => !numbers.has(each.n))) {
    // Another page sent it, or put it aside.
    if (write.state === 'waiting') settle(write);
    else if (write.state === 'refused') writes = writes.filter((other) => other !== write);
  }
  writes.sort((a, b) => a.n - b.n);
}

/**
 * Keeps a write, shows it, and sends it as soon as it can be.
 * @param {Pick<Write, 'method' | 'path' | 'kind' | 'id'> & Partial<Write>} write
 */
export async function enqueue(write) {
  /** @type {any} */
  const kept = { ...write, key: newId(), at: Date.now(), state: 'waiting' };
  kept.n = await keepWrite(kept);
  if (!writes.some((write) => write.n === kept.n)) writes.push(kept);
  tell();
  channel?.postMessage('changed');
  flush();
}

/** @param {Write} write */
export async function putAside(write) {
  await forgetWrite(write.n);
  writes = writes.filter((other) => other !== write);
  tell();
  channel?.postMessage('changed');
}

/** @param {Write} write */
export async function tryAgain(write) {
  write.state = 'waiting';
  delete write.reason;
  await keepWrite({ ...write });
  tell();
  channel?.postMessage('changed');
  flush();
}

/** Sends what waits, one after the other; another page of this browser does it instead where it has begun to. */
export async function flush() {
  isWanted = true;
  if (isSending) return;
  isSending = true;
  clearTimeout(timer);
  try {
    // What is queued while a round ends is the next round's.
    while (isWanted) {
      isWanted = false;
      // Locks are there on secure origins only; without them two pages may send the same, which happens once all the same.
      if (navigator.locks) await navigator.locks.request('trendy-queue', send);
      else await send();
    }
  } finally {
    isSending = false;
  }
}

async function send() {
  await adopt();
  for (const write of [...writes]) {
    if (write.state !== 'waiting') continue;
    write.state = 'sending';
    tell();
    try {
      await ask(write.method, write.path, write.body, write.method === 'POST' ? { 'Idempotency-Key': write.key } : {});
      pause = 1000;
      await forgetWrite(write.n);
      settle(write);
      channel?.postMessage('changed');
    } catch (error) {
      write.state = 'waiting';
      if (error instanceof Refused && error.kind === write.tolerates) {
        await forgetWrite(write.n);
        settle(write);
        channel?.postMessage('changed');
        continue;
      }
      if (error instanceof Refused && !error.passes && error.status !== 401) {
        write.state = 'refused';
        write.reason = error.message;
        await keepWrite({ ...write });
        tell();
        channel?.postMessage('changed');
        continue;
      }
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
      tell();
      if (error instanceof Refused && error.status === 401) return;
      const wait = error instanceof Refused && error.status === 429 ? error.retryAfter * 1000 : pause;
      pause = Math.min(pause * 2, 30_000);
      timer = setTimeout(flush, wait);
      return;
    }
  }
}

/** When the last write was answered, on this page's clock. */
let lastAnswer = -Infinity;
export const lastSent = () => lastAnswer;

/** Sent: shown until an answer that was asked for afterwards shows it instead. @param {Write} write */
function settle(write) {
  write.state = 'sent';
  write.sentAt = lastAnswer = performance.now();
  writes = writes.filter((other) => other.state !== 'sent' || /** @type {number} */ (other.sentAt) > performance.now() - 60_000);
  sent = waiting().length ? sent + 1 : 0;
  tell();
}

/** Those that an answer cannot know yet. @param {string} kind @param {number} askedAt on this page's clock */
const unseen = (kind, askedAt) =>
  writes.filter((write) => write.kind === kind && write.state !== 'refused' && !(/** @type {number} */ (write.sentAt) < askedAt));

/** RFC 7396, with the properties of an event key by key. @param {any} entity @param {any} patch */
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
 * A list as it will be when everything has arrived.
 * @param {string} kind @param {any[]} list as the hub had it @param {number} askedAt
 * @param {(entity: any) => boolean} [belongs] whether one that is new belongs in the list
 */
export function overlaid(kind, list, askedAt, belongs = () => true) {
  /** @type {Map<string, any>} */
  const all = new Map(list.map((entity) => [entity.id, entity]));
  for (const write of unseen(kind, askedAt)) {
    const waits = write.state !== 'sent';
    if (write.method === 'DELETE') {
      all.delete(write.id);
    } else if (write.method === 'PATCH') {
      const old = all.get(write.id) ?? write.before;
      if (!old) continue;
      const next = { ...merged(old, write.body), waits };
      if (all.has(write.id) || belongs(next)) all.set(write.id, next);
    } else {
      const made = write.after ?? write.body;
      if (made && belongs(made) && !all.has(write.id)) all.set(write.id, { ...made, waits });
    }
  }
  return [...all.values()].filter(belongs);
}

/**
 * Counts by day as they will be when everything has arrived.
 * @param {Map<string, Record<string, number>>} days by date, then by type @param {number} askedAt
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
 * Events that an answer does not count yet, and such that it still counts and should not.
 * @param {number} askedAt on this page's clock @returns {{event: any, count: 1 | -1}[]}
 */
export function unseenEvents(askedAt) {
  /** @type {{event: any, count: 1 | -1}[]} */
  const found = [];
  const add = (/** @type {any} */ event, /** @type {1 | -1} */ count) => { if (event?.timestamp) found.push({ event, count }); };
  /** @type {Map<string, any>} */
  const made = new Map();
  for (const write of unseen('events', askedAt)) {
    const old = made.get(write.id) ?? write.before;
    if (write.method === 'POST') {
      made.set(write.id, write.after ?? write.body);
      add(made.get(write.id), 1);
    } else if (write.method === 'DELETE') {
      add(old, -1);
    } else if (old) {
      add(old, -1);
      made.set(write.id, merged(old, write.body));
      add(made.get(write.id), 1);
    }
  }
  return found;
}
