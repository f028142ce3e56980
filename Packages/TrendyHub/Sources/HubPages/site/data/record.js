// The person's record as these pages know it: the few things that every page needs, and reads of the rest.

import { again } from './navigation.js';
import { answered, ask, Refused, stream, Unreachable, onReach } from './api.js';
import { forgetStore, keepAnswer, keptAnswer } from './storage.js';
import { forgetSession } from './preferences.js';
import { forgetSteps, noteDone, perform, resumeSteps } from './undo.js';
import { enqueue, flush, merged, onQueue, overlaid, overlaidDays, putAside } from './queue.js';
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
 * Whether the hub answers and tells of changes by itself; since when it does not, as milliseconds. `isRevoked` is set
 * when the hub rejects this browser, `isSignedOut` if that is because the browser has lost its cookie.
 */
export const reach = { isReached: true, isLive: false, since: 0, isRevoked: false, isSignedOut: false, changedAt: 0 };

/** @type {((what: 'data' | 'reach') => void)[]} */
const listeners = [];
/** @param {(what: 'data' | 'reach') => void} listener */
export const onRecord = (listener) => {
  listeners.push(listener);
};
const tell = (/** @type {'data' | 'reach'} */ what) => {
  for (const listener of listeners) listener(what);
};

onReach((isReached) => {
  if (isReached === reach.isReached) return;
  reach.isReached = isReached;
  reach.since = isReached ? 0 : Date.now();
  tell('reach');
  if (isReached) flush();
});
onQueue(() => tell('data'));

// MARK: Reads

/**
 * The hub's answer, or the last one where it cannot be asked.
 * @template {string} Path
 * @param {Path} path
 * @returns {Promise<{answer: Api.Answer<'GET', Path>, askedAt: number}>} on this page's clock
 */
export async function read(path) {
  const askedAt = performance.now();
  const asked = ask('GET', path);
  try {
    // After a request without a response, a stored one is shown early. A late response causes another read.
    const answer = await (reach.isReached ? asked : Promise.race([asked, silence()]));
    // A response that cannot be stored is shown all the same.
    keepAnswer(path, answer).catch(() => {});
    return { answer, askedAt };
  } catch (error) {
    if (error instanceof Refused && error.status === 401) revoked(error);
    if (!(error instanceof Unreachable)) throw error;
    // A browser that stores nothing has kept no answer either.
    const kept = await keptAnswer(path).catch(() => undefined);
    if (!kept) return { answer: await asked, askedAt };
    asked.catch(() => {});
    // Older than everything that waits, and than what was sent since this page was opened.
    return { answer: kept.answer, askedAt: kept.at - performance.timeOrigin };
  }
}

/**
 * Rejects when a hub that was away has not responded for a moment.
 * @returns {Promise<never>}
 */
const silence = () => new Promise((_, reject) => setTimeout(() => reject(new Unreachable()), 1000));

/** @param {Refused} error */
function revoked(error) {
  // Told once: whoever hears of it reads anew, and is refused again.
  if (reach.isRevoked) return;
  Object.assign(reach, { isRevoked: true, isSignedOut: error.kind === 'unauthorized' });
  tell('reach');
}

/**
 * Entities of the lists that every page needs.
 * @typedef {{
 *   'event-types': Api.EventType, 'property-definitions': Api.PropertyDefinition, geofences: Api.Geofence,
 *   settings: Api.Setting, vehicles: Api.Vehicle, skips: Api.Skip,
 * }} Lists
 */

/**
 * Lists that every page needs, as the hub last gave them.
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
  return known ? overlaid(name, known.answer, known.askedAt) : [];
}

/**
 * In the order in which they were made.
 * @returns {Api.EventType[]}
 */
export function types() {
  return list('event-types').sort(
    (a, b) => (a.created_at ?? '9').localeCompare(b.created_at ?? '9') || a.name.localeCompare(b.name),
  );
}
/**
 * @param {string} id
 * @returns {Api.EventType}
 */
export const typeOf = (id) =>
  list('event-types').find((type) => type.id === id) ?? { id, name: texts.type.deletedType, color: '', icon: '' };
/**
 * Of a type, in their order.
 * @param {string} typeId
 * @returns {Api.PropertyDefinition[]}
 */
export function definitions(typeId) {
  return list('property-definitions')
    .filter((definition) => definition.event_type_id === typeId)
    .sort((a, b) => (a.display_order ?? 0) - (b.display_order ?? 0) || a.key.localeCompare(b.key));
}
export const places = () => list('geofences').sort((a, b) => a.name.localeCompare(b.name));
export const vehicles = () => list('vehicles');
export const vehiclesByName = () => vehicles().sort((a, b) => a.name.localeCompare(b.name));
export const skips = () => list('skips');

/**
 * By key; the entity whose id follows from the key counts.
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

/** Ids of events that were started and have no end yet. */
export const runningIds = () =>
  list('settings')
    .filter((setting) => setting.key === 'running')
    .map((setting) => ({ mark: setting, id: String(setting.value) }));

/**
 * Types under which the software itself records; nobody logs those by hand.
 * @param {Api.EventType} type
 */
export const isOwnType = (type) =>
  (['⇢', '⌂', '◔'].includes(type.icon) && ['Trip', 'Visit', 'Odometer'].includes(type.name)) ||
  list('geofences').some((place) => place.event_type_entry_id === type.id || place.event_type_exit_id === type.id);

/**
 * Events that lie in a range of days, those that reach into it included, the latest first.
 * @param {string} from a date
 * @param {string} to the last date
 * @param {string} [source] what brought them, all unless told
 */
export async function eventsOf(from, to, source = '') {
  // A night's sleep began the day before; an all-day event may lie elsewhere by its moment.
  const begin = new Date(startOf(from).getTime() - 129_600_000);
  const end = new Date(startOf(addDays(to, 1)).getTime() + 54_000_000);
  const { answer, askedAt } = await readEvents(begin, end, source);
  return () =>
    overlaid('events', answer, askedAt, (event) => {
      const start = Date.parse(event.timestamp);
      return start >= begin.getTime() && start < end.getTime() && (!source || event.source_type === source);
    }).sort(latestFirst);
}

/**
 * Every event between two moments: the hub gives a thousand at a time.
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
    // Those of the last moment come again, as there may be more of it; where there is nothing else, it is passed over.
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
 * How many events of each type each day had.
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
     * Bounds of the levels of a heat map, by type.
     * @type {Record<string, number[]>}
     */
    levels: answer.levels ?? {},
    /**
     * The weekday on which most of it lies, 0 is Sunday, of types that have such a one.
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
 * The newest of the record that have a text in them, are of a type, or of a place.
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
  // A call goes through a part of the record: nothing is said to be nowhere before all of it was gone through.
  while (found.length < limit) {
    const { answer, askedAt } = await read(`/events/search?${query}`);
    first = Math.min(first, askedAt);
    found = found.concat(answer.events);
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
 * Notes what the hub did in one act of its own, so that it can be taken back, and done again, in one.
 * @param {string} label
 * @param {string} kind
 * @param {{before: Api.Entity | null, after: Api.Entity | null}[]} changes entities as they were and as they are,
 *   `null` where one was not there
 */
export function noteAct(label, kind, changes) {
  const turn = (/** @type {'before' | 'after'} */ from, /** @type {'before' | 'after'} */ to) =>
    changes.map((one) => put(kind, cleaned(one[from]), cleaned(one[to])));
  noteDone(label, turn('after', 'before'), turn('before', 'after'));
}

/**
 * What makes one of a kind what it was at another time.
 * @param {string} kind
 * @param {Api.Entity | null} now not `null` with `then`
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
 * @param {Api.Patch} entity with its id, unless it is to get one
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
 * @param {Api.Entity} entity as it is
 * @param {Api.Patch} patch
 * @param {string} label
 */
export function change(kind, entity, patch, label) {
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
  const path = `/${kind}/${encodeURIComponent(entity.id)}`;
  const method = /** @type {const} */ ('PATCH');
  const act = (/** @type {Api.Patch} */ body) => [
    { method, path, kind, id: entity.id, body, before, seen: entity.seen },
  ];
  return perform(label, act(patch), act(reverse));
}

/**
 * Ends an event that runs; where another device has ended it before, that end stays.
 * @param {Api.Event} event as it is
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
 * @param {Api.Entity} entity as it is
 * @param {string} label
 * @param {string} [seen] version of the record that the user saw, where it is another than the entity's: of a type with
 *   its entries
 */
export function remove(kind, entity, label, seen = entity.seen) {
  const { id, incarnation = 0 } = entity;
  const path = `/${kind}/${encodeURIComponent(id)}`;
  const before = clean(entity);
  const deletion = { method: /** @type {const} */ ('DELETE'), path, kind, id, before, seen };
  // A type takes its entries along, and brings them back.
  const restore = `${path}/restore${kind === 'event-types' ? '?with=entries' : ''}`;
  // Done again it means whichever incarnation there is by then.
  const back = { method: /** @type {const} */ ('POST'), path: restore, kind, id, after: before };
  return perform(label, [{ ...deletion, incarnation }], [back], [deletion]);
}

/** @param {Api.Entity | null} entity */
const cleaned = (entity) => entity && clean(entity);

/**
 * Without what these pages added.
 * @param {Api.Entity} entity
 */
function clean(entity) {
  const { waits: _, ...rest } = entity;
  return rest;
}

/**
 * Without what the hub and these pages say of an entity beside its values.
 * @param {Api.Patch} entity
 * @returns {Api.Patch}
 */
function bare(entity) {
  const { waits: _, seen: __, incarnation: ___, created_at: ____, updated_at: _____, ...rest } = entity;
  return rest;
}

// MARK: What the hub refused

/**
 * What an edit that the hub refused would have made of its entity; `null` where that is not known.
 * @param {import('./queue.js').Write} write
 */
const meant = (write) =>
  write.method === 'PATCH' && write.before ? bare(merged(write.before, write.body ?? {})) : null;

/**
 * Whether an edit was refused because its entity was deleted, and the entity is known here.
 * @param {import('./queue.js').Write} write
 */
export const isOfDeleted = (write) =>
  ['entity_deleted', 'not_found'].includes(write.refusal ?? '') && meant(write) !== null;

/**
 * Brings a deleted entity back, and makes the refused edit again.
 * @param {import('./queue.js').Write} write
 */
export async function restoreAndEdit(write) {
  const { kind, id, body, before, seen } = write;
  const path = `/${kind}/${encodeURIComponent(id)}`;
  await enqueue({ method: 'POST', path: `${path}/restore`, kind, id, after: before });
  await enqueue({ method: 'PATCH', path, kind, id, body, before, seen });
  await putAside(write);
}

/**
 * Records what an entity would be after a refused edit as a new one.
 * @param {import('./queue.js').Write} write
 * @param {string} label
 */
export async function recordAsNew(write, label) {
  const { user_id: _, ...entity } = meant(write) ?? {};
  const values = Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null));
  await create(write.kind, { ...values, id: newId() }, label);
  await putAside(write);
}

/**
 * @param {string} key
 * @param {unknown} value `null` for the default
 */
export async function set(key, value) {
  const id = `setting-${key}`;
  const old = list('settings').find((setting) => setting.id === id);
  // Made without a value and changed from then on, as devices do: two that set it at once have one.
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

/** Leaves the hub; all that this browser stores of the user is deleted. */
export async function leave() {
  await ask('DELETE', '/session');
  forgetSteps();
  forgetSession();
  // A browser that stores nothing has nothing to delete.
  await forgetStore(session.person.id).catch(console.error);
}

// MARK: Live

let cursor = -1;
/** @type {EventSource | null} */
let source = null;

/** How far the record is written: what is asked for after it is not older. `null` where the hub cannot be asked. */
export const askPosition = () =>
  read('/changes/latest-cursor').catch((error) => {
    if (error instanceof Unreachable) return null;
    throw error;
  });

/**
 * Loads what every page needs, then listens.
 * @param {ReturnType<typeof askPosition>} position asked for before
 */
export async function begin(position) {
  resumeSteps(session.person.id);
  const known = await position;
  if (known) cursor = known.answer.cursor;
  await Promise.all(LISTS.map(loadList));
}

/**
 * Tells the other pages of this browser what one of them hears: a device has few streams, and a user many pages.
 * @type {BroadcastChannel | null}
 */
let channel = null;

/** Hears of changes: by a stream of its own, or from the page of this browser that has one. */
export function listen() {
  const name = `trendy-heads-${session.person.id}`;
  if ('BroadcastChannel' in window) channel = new BroadcastChannel(name);
  channel?.addEventListener('message', ({ data }) => (data === 'lost' ? setLive(false) : heard(data)));
  // Without locks, which are there on secure origins only, each page has its own.
  const forever = () =>
    new Promise(() => {
      openStream();
    });
  if (navigator.locks && channel)
    navigator.locks.request(`trendy-stream-${session.person.id}`, forever).catch(console.error);
  else openStream();
  // A page that is kept for going back to must not keep its stream.
  window.addEventListener('pagehide', () => {
    source?.close();
    source = null;
  });
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  // Without a stream, and after a request without a response, which no stream ends.
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
  // A hub that is back has been heard, also where nothing was to be sent or asked.
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
    // Refused: a browser that was removed is not asked to try again.
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
  tell('reach');
}

let isCatchingUp = false;
let isBehind = false;

/** Finds out what changed, and tells. */
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
        // From another life of the hub, or from too long ago: everything is read anew.
        if (!(error instanceof Refused)) throw error;
        if (error.status === 401) return revoked(error);
        cursor = (await ask('GET', '/changes/latest-cursor')).cursor;
      }
      await Promise.all(names.map(loadList));
      reach.changedAt = Date.now();
      tellChanged();
    }
  } catch (error) {
    if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
  } finally {
    isCatchingUp = false;
  }
}

/** Reads what the page shows anew: the stream tells of the record alone, and of that a moment later. */
export const refresh = again;

/** @type {(() => void)[]} */
const changeListeners = [];
/**
 * Told when the hub has something new.
 * @param {() => void} listener
 */
export const onChange = (listener) => {
  changeListeners.push(listener);
};
const tellChanged = () => {
  for (const listener of changeListeners) listener();
};
