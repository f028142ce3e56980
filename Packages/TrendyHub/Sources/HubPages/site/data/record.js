// The user's record: lists needed by every page, requests for the rest, and writes.

import { again } from './navigation.js';
import { answered, ask, Refused, stream, Unreachable, onReach } from './api.js';
import { deleteStore, storeResponse, storedResponse } from './storage.js';
import { deleteSession } from './preferences.js';
import { clearHistory, recordStep, perform, loadHistory } from './undo.js';
import { enqueue, flush, merged, onQueue, overlaid, overlaidDays, discardWrite, writesVersion } from './queue.js';
import { actionOf, inOrder, isSkipped, REACH } from './rules.js';
import { addDays, startOf, useSettings, withDays } from './days.js';
import { newId } from './api.js';
import { texts } from '../texts.js';

export const session = {
  hub: '',
  person: { id: '', name: '' },
  device: { id: '', name: '' },
  tiles: /** @type {{address: string, deepest: number, credit: string} | null} */ (null),
};

/**
 * Connection state: whether the hub is responding, since when it has not been (in milliseconds since 1970), and whether
 * changes arrive live. `isRevoked` is set if the hub rejects this browser, `isSignedOut` if the browser has lost its
 * cookie.
 */
export const reach = { isReached: true, isLive: false, since: 0, isRevoked: false, isSignedOut: false, changedAt: 0 };

/** @type {((what: 'data' | 'reach') => void)[]} */
const listeners = [];
/** @param {(what: 'data' | 'reach') => void} listener */
export const onRecord = (listener) => {
  listeners.push(listener);
};
const notify = (/** @type {'data' | 'reach'} */ what) => {
  for (const listener of listeners) listener(what);
};

onReach((isReached) => {
  if (isReached === reach.isReached) return;
  reach.isReached = isReached;
  reach.since = isReached ? 0 : Date.now();
  notify('reach');
  if (isReached) flush();
});
onQueue(() => notify('data'));

// MARK: Reads

/**
 * Reads from the hub, or uses the stored response while the hub is unreachable.
 * @template {string} Path
 * @param {Path} path
 * @returns {Promise<{answer: Api.Answer<'GET', Path>, askedAt: number}>} the response, and the time of its request by
 *   this page's clock
 */
export async function read(path) {
  const askedAt = performance.now();
  const asked = ask('GET', path);
  try {
    // While the hub is unreachable, use the stored response after a short wait. A response that arrives later triggers
    // another read.
    const answer = await (reach.isReached ? asked : Promise.race([asked, silence()]));
    // A response that cannot be stored can still be used.
    storeResponse(path, answer).catch(() => {});
    return { answer, askedAt };
  } catch (error) {
    if (error instanceof Refused && error.status === 401) revoked(error);
    if (!(error instanceof Unreachable)) throw error;
    // Storage may be unavailable.
    const kept = await storedResponse(path).catch(() => undefined);
    if (!kept) return { answer: await asked, askedAt };
    asked.catch(() => {});
    // Treat the stored response as older than every pending write.
    return { answer: kept.answer, askedAt: kept.at - performance.timeOrigin };
  }
}

/**
 * Rejects after one second.
 * @returns {Promise<never>}
 */
const silence = () => new Promise((_, reject) => setTimeout(() => reject(new Unreachable()), 1000));

/** @param {Refused} error */
function revoked(error) {
  // Report this only once: listeners read again, and are rejected again.
  if (reach.isRevoked) return;
  Object.assign(reach, { isRevoked: true, isSignedOut: error.kind === 'unauthorized' });
  notify('reach');
}

/**
 * Lists needed by every page.
 * @typedef {{
 *   'event-types': Api.EventType, 'property-definitions': Api.PropertyDefinition, geofences: Api.Geofence,
 *   settings: Api.Setting, vehicles: Api.Vehicle, skips: Api.Skip,
 * }} Lists
 */

/**
 * Action of each type, and whether the type is built in, as reported by the hub.
 * @type {Map<string, Api.TypeActions['types'][number]>}
 */
let actions = new Map();
async function loadActions() {
  const { answer } = await read('/insights/types');
  actions = new Map(answer.types.map((type) => [type.event_type_id, type]));
}

/**
 * @type {{[name in keyof Lists]?: {answer: Lists[name][], askedAt: number}}}
 */
const lists = {};
/** @type {(keyof Lists)[]} */
const LISTS = ['event-types', 'property-definitions', 'geofences', 'settings', 'vehicles', 'skips'];
/** @type {Record<string, keyof Lists>} */
const KINDS = {
  event_type: 'event-types',
  property_definition: 'property-definitions',
  geofence: 'geofences',
  setting: 'settings',
  vehicle: 'vehicles',
  skip: 'skips',
};

/** @param {keyof Lists} name */
async function loadList(name) {
  Object.assign(lists, { [name]: await read(`/${name}`) });
  if (name === 'settings') useSettings(settings());
}

/**
 * @template {keyof Lists} Name
 * @param {Name} name
 * @returns {Lists[Name][]}
 */
function list(name) {
  const known = lists[name];
  if (!known) return [];
  const version = `${known.askedAt} ${writesVersion(name)}`;
  let last = applied.get(name);
  if (last?.version !== version) {
    last = { version, list: overlaid(name, known.answer, known.askedAt).sort(orders[name]) };
    applied.set(name, last);
  }
  return [...last.list];
}

/**
 * Cached lists with pending writes applied, because a page reads each list many times. `version` shows whether the
 * lists are current.
 * @type {Map<string, {version: string, list: any[]}>}
 */
const applied = new Map();

/** @type {Record<string, (a: any, b: any) => number>} */
const orders = {
  'event-types': (a, b) => (a.created_at ?? '9').localeCompare(b.created_at ?? '9') || a.name.localeCompare(b.name),
  geofences: (a, b) => a.name.localeCompare(b.name),
};

/**
 * Returns event types in order of creation.
 * @returns {Api.EventType[]}
 */
export const types = () => list('event-types');
/**
 * @param {string} id
 * @returns {Api.EventType}
 */
export const typeOf = (id) =>
  list('event-types').find((type) => type.id === id) ?? { id, name: texts.type.deletedType, color: '', icon: '' };
/**
 * Returns a type's property definitions in display order.
 * @param {string} typeId
 * @returns {Api.PropertyDefinition[]}
 */
export function definitions(typeId) {
  return inOrder(list('property-definitions').filter((definition) => definition.event_type_id === typeId));
}
export const places = () => list('geofences');
export const vehicles = () => list('vehicles');
export const vehiclesByName = () => vehicles().sort((a, b) => a.name.localeCompare(b.name));
export const skips = () => list('skips');

/**
 * Returns a function that reports whether a type is skipped on a date.
 * @param {string} typeId
 * @returns {(date: string) => boolean}
 */
export function skippedDays(typeId) {
  const own = skips().filter((skip) => skip.event_type_id === typeId);
  return (date) => isSkipped(own, date);
}

/**
 * Returns settings by key. Of two settings with the same key, the one with the derived id takes precedence.
 * @returns {Api.Patch}
 */
export function settings() {
  /** @type {Api.Patch} */
  const values = {};
  for (const setting of list('settings')) {
    if (!(setting.key in values) || setting.id === `setting-${setting.key}`)
      values[setting.key] = setting.value ?? undefined;
  }
  return values;
}

/** Returns the ids of running events, with the settings that mark them. */
export const runningIds = () =>
  list('settings')
    .filter((setting) => setting.key === 'running')
    .map((setting) => ({ mark: setting, id: String(setting.value) }));

/**
 * Returns whether events of this type are recorded automatically rather than logged by hand.
 * @param {Api.EventType} type
 */
export const isOwnType = (type) => actions.get(type.id)?.built_in ?? false;

/**
 * Returns the action that records an event of a type, as decided by the hub unless changes to types or properties are
 * pending.
 * @param {Api.EventType} type
 * @param {boolean} isRunning whether an event of the type is running
 */
export function actionFor(type, isRunning) {
  const known = actions.get(type.id)?.action;
  const isKnown = known && (known === 'stop') === isRunning;
  return isKnown && !writesVersion('event-types') && !writesVersion('property-definitions')
    ? known
    : actionOf(type, definitions(type.id), isRunning);
}

/**
 * Ends and speeds of trips, as last reported by the hub.
 * @type {Map<string, Api.TripSummary>}
 */
const summaries = new Map();
/** @param {Api.TripSummary[]} trips */
export const keepSummaries = (trips) => {
  for (const trip of trips) summaries.set(trip.id, trip);
};
/** @param {Api.Event} trip */
export const summaryOf = (trip) => summaries.get(trip.id);

/**
 * Reads the events that start in or extend into a range of days, latest first.
 * @param {string} from a date
 * @param {string} to the last date
 * @param {string} [source] source type; by default all
 */
export async function eventsOf(from, to, source = '') {
  // Two time zones differ by up to 26 hours.
  const zones = 26 * 3_600_000;
  const begin = new Date(startOf(from).getTime() - REACH * 86_400_000 - zones);
  const end = new Date(startOf(addDays(to, 1)).getTime() + zones);
  const period = new URLSearchParams({ from: begin.toISOString(), to: end.toISOString() });
  const [{ answer, askedAt }] = await Promise.all([
    readEvents(begin, end, source),
    // Without a stored response, trips are shown without place names.
    read(`/trips?${period}`).then((trips) => keepSummaries(trips.answer.trips), unlessUnreachable),
  ]);
  return () =>
    overlaid('events', answer, askedAt, (event) => {
      const start = Date.parse(event.timestamp);
      return start >= begin.getTime() && start < end.getTime() && (!source || event.source_type === source);
    }).sort(latestFirst);
}

/** @param {unknown} error */
function unlessUnreachable(error) {
  if (!(error instanceof Unreachable)) throw error;
}

/**
 * Reads all events between two moments, a thousand per request.
 * @param {Date} begin
 * @param {Date} end
 * @param {string} source
 * @returns {Promise<{answer: Api.Event[], askedAt: number}>}
 */
async function readEvents(begin, end, source) {
  /** @type {Map<string, Api.Event>} */
  const events = new Map();
  let first = Infinity;
  const query = new URLSearchParams({ from: begin.toISOString(), limit: '1000' });
  if (source) query.set('source_type', source);
  for (let to = end; ; ) {
    query.set('to', to.toISOString());
    const { answer, askedAt } = await read(`/events?${query}`);
    const before = events.size;
    for (const event of answer) events.set(event.id, event);
    first = Math.min(first, askedAt);
    if (answer.length < 1000) return { answer: [...events.values()], askedAt: first };
    // Request the last timestamp again, because more events may share it.
    const last = Date.parse(answer[answer.length - 1].timestamp);
    to = new Date(events.size === before ? last : last + 1);
  }
}

/**
 * @param {Api.Event} a
 * @param {Api.Event} b
 */
const latestFirst = (a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) || (a.id < b.id ? 1 : -1);

/**
 * Reads the number of events by day and type.
 * @param {string} from a date
 * @param {string} to the last date
 * @returns {Promise<{counts: () => Map<string, Record<string, number>>, first: string | null, levels: Record<string,
 *   number[]>, weekdays: Record<string, number>}>}
 */
export async function countsOf(from, to) {
  const { answer, askedAt } = await read(withDays('/events/days', { from, to }));
  return {
    first: answer.first_date,
    /**
     * Level bounds for each type's heat map.
     * @type {Record<string, number[]>}
     */
    levels: answer.levels ?? {},
    /**
     * Most frequent weekday of each type, where 0 is Sunday. Missing for types without a clear weekday habit.
     * @type {Record<string, number>}
     */
    weekdays: answer.weekdays ?? {},
    counts: () => {
      const days = overlaidDays(new Map(answer.days.map((day) => [day.date, day.counts])), askedAt);
      for (const date of [...days.keys()]) if (date < from || date > to) days.delete(date);
      return days;
    },
  };
}

/**
 * Reads the latest events that match a search string, a type or a place.
 * @param {{text?: string, type?: string, place?: string, limit?: number}} wanted
 * @returns {Promise<{events: () => Api.Event[], next: string | null}>}
 */
export async function search({ text = '', type = '', place = '', limit = 50 }) {
  const query = new URLSearchParams({ limit: String(Math.min(limit, 200)) });
  if (text) query.set('text', text);
  if (type) query.set('event_type_id', type);
  if (place) query.set('geofence_id', place);
  /** @type {Api.Event[]} */
  let found = [];
  /** @type {string | null} */
  let next = null;
  let first = Infinity;
  // Each response covers part of the record. Continue until enough events are found or the record ends.
  while (found.length < limit) {
    const { answer, askedAt } = await read(`/events/search?${query}`);
    first = Math.min(first, askedAt);
    found = found.concat(answer.events);
    keepSummaries(answer.trips);
    next = answer.next;
    if (!next) break;
    query.set('before', next);
  }
  const belongs = (/** @type {Api.Event} */ event) =>
    text
      ? found.some((other) => other.id === event.id)
      : (!type || event.event_type_id === type) && (!place || event.geofence_id === place);
  return {
    next,
    events: () => overlaid('events', found, first, belongs).sort(latestFirst),
  };
}

// MARK: Writes

/**
 * Records an action by the hub as one step in the undo history.
 * @param {string} label
 * @param {string} kind
 * @param {{before: Api.Entity | null, after: Api.Entity | null}[]} changes entities before and after, if not `null`
 */
export function recordAction(label, kind, changes) {
  const turn = (/** @type {'before' | 'after'} */ from, /** @type {'before' | 'after'} */ to) =>
    changes.map((one) => put(kind, cleaned(one[from]), cleaned(one[to])));
  recordStep(label, turn('after', 'before'), turn('before', 'after'));
}

/**
 * Returns a write that turns an entity into an earlier or later state.
 * @param {string} kind
 * @param {Api.Entity | null} now current state; never `null` together with `then`
 * @param {Api.Entity | null} then
 * @returns {import('./undo.js').Act}
 */
function put(kind, now, then) {
  const { id } = /** @type {Api.Entity} */ (now ?? then);
  const path = `/${kind}/${encodeURIComponent(id)}`;
  if (!now) return { method: 'POST', path: `${path}/restore`, kind, id, after: then ?? undefined };
  if (!then) return { method: 'DELETE', path, kind, id, before: now, seen: now.seen };
  const seen = now.seen;
  const differs = (/** @type {unknown} */ a, /** @type {unknown} */ b) =>
    JSON.stringify(a ?? null) !== JSON.stringify(b ?? null);
  const between = (/** @type {Api.Patch} */ a, /** @type {Api.Patch} */ b) =>
    Object.fromEntries(
      [...new Set([...Object.keys(a), ...Object.keys(b)])]
        .filter((key) => differs(a[key], b[key]))
        .map((key) => [key, b[key] ?? null]),
    );
  const { properties = {}, ...rest } = bare(now);
  const { properties: others = {}, ...other } = bare(then);
  const body = { ...between(rest, other), properties: between(properties, others) };
  return { method: 'PATCH', path, kind, id, before: now, seen, body };
}

/**
 * @param {string} kind
 * @param {Api.Patch} entity receives a new id if it has none
 * @param {string} label
 */
export async function create(kind, entity, label) {
  const made = { ...bare(entity), id: entity.id ?? newId() };
  const path = `/${kind}/${encodeURIComponent(made.id)}`;
  await perform(
    label,
    [{ method: 'POST', path: `/${kind}`, kind, id: made.id, body: made }],
    [{ method: 'DELETE', path, kind, id: made.id, before: made }],
    [{ method: 'POST', path: `${path}/restore`, kind, id: made.id, after: made }],
  );
  return made;
}

/**
 * @param {string} kind
 * @param {Api.Entity} entity current state
 * @param {Api.Patch} patch
 * @param {string} label
 * @param {string} [at] first segment of the path
 * @param {string[]} [following] properties that the hub updates together with the patch
 */
export function change(kind, entity, patch, label, at = kind, following = []) {
  const before = clean(entity);
  /** @type {Api.Patch} */
  const reverse = {};
  for (const [name, value] of Object.entries(patch)) {
    if (name === 'properties' && value) {
      reverse.properties = Object.fromEntries(Object.keys(value).map((key) => [key, before.properties?.[key] ?? null]));
    } else {
      reverse[name] = before[name] ?? null;
    }
  }
  for (const key of following) (reverse.properties ??= {})[key] = before.properties?.[key] ?? null;
  const path = `/${at}/${encodeURIComponent(entity.id)}`;
  const method = /** @type {const} */ ('PATCH');
  const act = (/** @type {Api.Patch} */ body) => [
    { method, path, kind, id: entity.id, body, before, seen: entity.seen },
  ];
  return perform(label, act(patch), act(reverse));
}

/** A trip's properties that are derived from other properties. */
const FOLLOWING = ['duration', 'average_speed', 'rule', 'car', 'business_distance'];

/**
 * Changes a trip. The hub updates the values that depend on the edit, and an undo restores them.
 * @param {Api.Event} trip
 * @param {Api.Patch} patch
 */
export const changeTrip = (trip, patch) => change('events', trip, patch, texts.toast.saved, 'trips', FOLLOWING);

/**
 * Ends a running event. If another device has already ended the event, its end is kept.
 * @param {Api.Event} event current state
 * @param {string} end
 * @param {string} label
 */
export function end(event, end, label) {
  const { id, seen } = event;
  const path = `/events/${encodeURIComponent(id)}`;
  const before = clean(event);
  const about = { kind: 'events', id, seen };
  const stop = {
    ...about,
    method: /** @type {const} */ ('POST'),
    path: `${path}/stop`,
    body: { end_date: end },
    before,
    isStop: true,
  };
  const ended = { ...before, end_date: end };
  const back = { ...about, method: /** @type {const} */ ('PATCH'), path, body: { end_date: null }, before: ended };
  return perform(label, [stop], [back]);
}

/**
 * @param {string} kind
 * @param {Api.Entity} entity current state
 * @param {string} label
 * @param {string} [seen] record version that the user saw, if it differs from the entity's. Deleting a type also
 *   deletes its entries
 */
export function remove(kind, entity, label, seen = entity.seen) {
  const { id, incarnation = 0 } = entity;
  const path = `/${kind}/${encodeURIComponent(id)}`;
  const before = clean(entity);
  const deletion = { method: /** @type {const} */ ('DELETE'), path, kind, id, before, seen };
  // A type is deleted and restored together with its entries.
  const restore = `${path}/restore${kind === 'event-types' ? '?with=entries' : ''}`;
  // A redo deletes the incarnation that exists at that time.
  const back = { method: /** @type {const} */ ('POST'), path: restore, kind, id, after: before };
  return perform(label, [{ ...deletion, incarnation }], [back], [deletion]);
}

/** @param {Api.Entity | null} entity */
const cleaned = (entity) => entity && clean(entity);

/**
 * Removes the fields added by pages.
 * @param {Api.Entity} entity
 */
function clean(entity) {
  const { waits: _, ...rest } = entity;
  return rest;
}

/**
 * Removes all fields that are not values of the entity.
 * @param {Api.Patch} entity
 * @returns {Api.Patch}
 */
function bare(entity) {
  const { waits: _, seen: __, incarnation: ___, created_at: ____, updated_at: _____, ...rest } = entity;
  return rest;
}

// MARK: Rejected edits

/**
 * Returns the result that a rejected edit would have had, or `null` if unknown.
 * @param {import('./queue.js').Write} write
 */
const meant = (write) =>
  write.method === 'PATCH' && write.before ? bare(merged(write.before, write.body ?? {})) : null;

/**
 * Returns whether an edit was rejected because its entity was deleted, and the write suffices to reconstruct the
 * entity.
 * @param {import('./queue.js').Write} write
 */
export const isOfDeleted = (write) =>
  ['entity_deleted', 'not_found'].includes(write.refusal ?? '') && meant(write) !== null;

/**
 * Restores a deleted entity and repeats the edit that was rejected.
 * @param {import('./queue.js').Write} write
 */
export async function restoreAndEdit(write) {
  const { kind, id, body, before, seen } = write;
  const path = `/${kind}/${encodeURIComponent(id)}`;
  await enqueue({ method: 'POST', path: `${path}/restore`, kind, id, after: before });
  await enqueue({ method: 'PATCH', path, kind, id, body, before, seen });
  await discardWrite(write);
}

/**
 * Records the intended result of a rejected edit as a new entity.
 * @param {import('./queue.js').Write} write
 * @param {string} label
 */
export async function recordAsNew(write, label) {
  const { user_id: _, ...entity } = meant(write) ?? {};
  const values = Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null));
  await create(write.kind, { ...values, id: newId() }, label);
  await discardWrite(write);
}

/**
 * @param {string} key
 * @param {unknown} value `null` for the default
 */
export async function set(key, value) {
  const id = `setting-${key}`;
  const old = list('settings').find((setting) => setting.id === id);
  // Create the setting without a value and then change it, so two devices create the same entity.
  if (!old)
    await enqueue({
      method: 'POST',
      path: '/settings',
      kind: 'settings',
      id,
      body: { id, key },
      tolerates: 'duplicate',
    });
  await change('settings', old ?? { id, key, value: null }, { value }, texts.toast.saved);
  useSettings(settings());
}

/** Unpairs this browser and deletes everything that it has stored for the user. */
export async function leave() {
  await ask('DELETE', '/session');
  clearHistory();
  deleteSession();
  // Storage may be unavailable.
  await deleteStore(session.person.id).catch(console.error);
}

// MARK: Live changes

let cursor = -1;
/** @type {EventSource | null} */
let source = null;

/** Reads the latest version of the change feed. Resolves to `null` while the hub is unreachable. */
export const askPosition = () =>
  read('/changes/latest-cursor').catch((error) => {
    if (error instanceof Unreachable) return null;
    throw error;
  });

/**
 * Loads the lists needed by every page.
 * @param {ReturnType<typeof askPosition>} position latest version, requested earlier
 */
export async function begin(position) {
  loadHistory(session.person.id);
  const known = await position;
  if (known) cursor = known.answer.cursor;
  await Promise.all([loadActions(), ...LISTS.map(loadList)]);
}

/**
 * Channel through which tabs share the change stream: one tab opens it and notifies the others.
 * @type {BroadcastChannel | null}
 */
let channel = null;

/** Listens for changes through this tab's stream or another tab's. */
export function listen() {
  const name = `trendy-heads-${session.person.id}`;
  if ('BroadcastChannel' in window) channel = new BroadcastChannel(name);
  channel?.addEventListener('message', ({ data }) => (data === 'lost' ? setLive(false) : heard(data)));
  // Use a lock if possible. Locks are available only on secure origins. Without a lock, each tab opens its own stream.
  const forever = () =>
    new Promise(() => {
      openStream();
    });
  if (navigator.locks && channel)
    navigator.locks.request(`trendy-stream-${session.person.id}`, forever).catch(console.error);
  else openStream();
  // A page in the back-forward cache must not keep its stream open.
  window.addEventListener('pagehide', () => {
    source?.close();
    source = null;
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  // Poll while no stream is open, and after a request without a response, because such a failure does not close the
  // stream.
  setInterval(() => {
    if (!reach.isLive || !reach.isReached) catchUp().catch(console.error);
  }, 15_000);
  if (channel) channel.postMessage('hello');
}

/** @param {number | string} head */
function heard(head) {
  if (head === 'hello') {
    if (source && reach.isLive) channel?.postMessage(cursor);
    return;
  }
  setLive(true);
  // The stream shows that the hub is reachable even if no request was sent.
  answered();
  if (head !== cursor) catchUp().catch(console.error);
}

function openStream() {
  const mine = (source = stream());
  mine.addEventListener('head', (event) => {
    const head = JSON.parse(/** @type {MessageEvent} */ (event).data).cursor;
    heard(head);
    channel?.postMessage(head);
  });
  mine.onerror = async () => {
    setLive(false);
    channel?.postMessage('lost');
    if (source !== mine || mine.readyState !== EventSource.CLOSED) return;
    // A browser that was revoked does not reconnect.
    try {
      await ask('GET', '/session');
      setTimeout(openStream, 5000);
    } catch (error) {
      if (error instanceof Refused && error.status === 401) revoked(error);
      else setTimeout(openStream, 5000);
    }
  };
}

function setLive(/** @type {boolean} */ isLive) {
  if (reach.isLive === isLive) return;
  reach.isLive = isLive;
  if (isLive) flush();
  notify('reach');
}

let isCatchingUp = false;
let isBehind = false;

/** Reads changes since the cursor and notifies listeners. */
async function catchUp() {
  isBehind = true;
  if (isCatchingUp) return;
  isCatchingUp = true;
  try {
    while (isBehind) {
      isBehind = false;
      let names = LISTS;
      try {
        const page = await ask('GET', `/changes?since=${Math.max(cursor, 0)}&limit=500`);
        if (!page.has_more && cursor >= 0) {
          names = [...new Set(page.changes.map((change) => KINDS[change.entity_type]).filter(Boolean))];
        }
        cursor = page.head;
      } catch (error) {
        // The cursor is too old or from another epoch, so read all lists again.
        if (!(error instanceof Refused)) throw error;
        if (error.status === 401) return revoked(error);
        cursor = (await ask('GET', '/changes/latest-cursor')).cursor;
      }
      if (names.length) await Promise.all([loadActions(), ...names.map(loadList)]);
      reach.changedAt = Date.now();
      notifyChanged();
    }
  } catch (error) {
    if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
  } finally {
    isCatchingUp = false;
  }
}

/** Reloads the page's data immediately, without waiting for the stream. */
export const refresh = again;

/** @type {(() => void)[]} */
const changeListeners = [];
/** @param {() => void} listener */
export const onChange = (listener) => {
  changeListeners.push(listener);
};
const notifyChanged = () => {
  for (const listener of changeListeners) listener();
};
