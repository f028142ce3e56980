// Requests to the hub, and what its refusals mean.

import { currentOwner, ownSetting, setOwnSetting } from './preferences.js';
import { texts } from '../texts.js';

export { newId } from './id.js';

const BASE = '/api/v1';

/** Milliseconds after which a request without a response counts as unanswered. */
const PATIENCE = 5000;
/** The same for files, and for acts that change many entries. */
const LONG_PATIENCE = 60_000;
const LONG_ACTS = /\/(merge|unmerge|split|restore|preview|commit|undo)(\?|$)|^\/export/;

/** Ids say nothing to a user. */
const ID = /\s*"?\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"?/gi;

/** The hub refused a request, with a problem document (RFC 9457). */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {Api.Problem | null} problem
   * @param {number} retryAfter seconds
   */
  constructor(status, problem, retryAfter) {
    const kind = String(problem?.type ?? '').replace('urn:trendy:error:', '');
    const text = texts.rejected[/** @type {'entity_deleted'} */ (kind)] ?? (problem?.detail || problem?.title);
    super(text?.replace(ID, '') || texts.error.status(status));
    this.status = status;
    this.kind = kind;
    this.requestId = problem?.request_id ?? '';
    this.retryAfter = retryAfter;
  }
  /**
   * Whether asking again later can change the answer. A full record does not pass: what comes behind, such as a
   * deletion, makes room.
   */
  get passes() {
    return this.kind !== 'quota_exceeded' && (this.status === 408 || this.status === 429 || this.status >= 500);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() {
    super(texts.error.unreachable);
  }
}

/** @type {((isReached: boolean) => void)[]} */
const listeners = [];
/**
 * Told after each request whether the hub answered.
 * @param {(isReached: boolean) => void} listener
 */
export const onReach = (listener) => {
  listeners.push(listener);
};
const tell = (/** @type {boolean} */ isReached) => {
  for (const listener of listeners) listener(isReached);
};

/** Called when this browser is paired as another user than the one whose page this is. */
let onOther = () => {};
/** @param {() => void} listener */
export const onOtherPerson = (listener) => {
  onOther = listener;
};

/** Says that the hub was heard by other ways than a request, such as a stream. */
export const answered = () => tell(true);

/** Seconds by which this browser's clock is ahead of the hub's, as the last answer told. */
let ahead = 0;
/** Seconds by which this browser's clock is ahead of the hub's; 0 where that is too little to matter. */
export const clockAhead = () => (Math.abs(ahead) < 120 ? 0 : ahead);

/**
 * Milliseconds from this browser's clock to the hub's; `null` until a response of this visit said so.
 * @type {number | null}
 */
let offset = null;
/** Round trip, in milliseconds, of the request by which the offset was measured. */
let roundTrip = Infinity;
/** A response that took longer says nothing of the hub's clock. */
const LONGEST_ROUND_TRIP = 60_000;

/** The hub's time now, in milliseconds since 1970, as far as this browser knows it: the time of an edit. */
export const hubTime = () => Date.now() + (offset ?? (Number(ownSetting('clock')) || 0));

/**
 * @param {Response} response
 * @param {number} sentAt on this browser's clock
 */
function compareClocks(response, sentAt) {
  const there = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(there)) ahead = Math.round((Date.now() - there) / 1000);
  const time = Number(response.headers.get('Trendy-Time'));
  const taken = Date.now() - sentAt;
  if (!time || taken < 0 || taken > LONGEST_ROUND_TRIP) return;
  const measured = Math.round(time - sentAt - taken / 2);
  // A slow response is less exact than a fast one before it, unless a clock was set since.
  if (offset !== null && taken > roundTrip && Math.abs(measured - offset) <= taken) return;
  if (Math.abs(measured - (offset ?? Infinity)) > 100) setOwnSetting('clock', String(measured));
  offset = measured;
  roundTrip = taken;
}

/**
 * @param {string} method
 * @param {string} path behind `/api/v1`
 * @param {object | Blob | undefined} body a document, or a Blob as it is
 * @param {Record<string, string>} headers
 * @returns {Promise<Response>} of which the body is not read yet; what refuses is thrown
 */
async function send(method, path, body, headers) {
  const sentAt = Date.now();
  const person = currentOwner();
  const type = body instanceof Blob ? 'application/octet-stream' : 'application/json';
  const isLong = body instanceof Blob || LONG_ACTS.test(path);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), isLong ? LONG_PATIENCE : PATIENCE);
  const response = await reached(
    fetch(BASE + path, {
      method,
      signal: silence.signal,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': type }),
        // The cookie belongs to whoever was paired last: the hub refuses it for the page of another user.
        ...(person ? { 'Trendy-Person': person } : {}),
        ...headers,
      },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    }),
  ).finally(() => clearTimeout(timer));
  compareClocks(response, sentAt);
  // A gateway in front of a hub that is down.
  if (response.status === 502 || response.status === 504) {
    tell(false);
    throw new Unreachable();
  }
  if (response.ok) return response;
  const document = parsed(await reached(inTime(response.text())));
  tell(true);
  if (document?.type === 'urn:trendy:error:other_person') onOther();
  throw new Refused(response.status, document, Number(response.headers.get('Retry-After')) || 5);
}

/**
 * @template T
 * @param {Promise<T>} answer
 */
async function reached(answer) {
  try {
    return await answer;
  } catch {
    tell(false);
    throw new Unreachable();
  }
}

/**
 * The rest of a response that has begun.
 * @template T
 * @param {Promise<T>} rest
 * @returns {Promise<T>}
 */
function inTime(rest) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, LONG_PATIENCE);
    rest.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** @param {string} text */
function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null; /* a proxy's own page; its status says enough */
  }
}

/**
 * @template {string} Method
 * @template {string} Path
 * @param {Method} method
 * @param {Path} path behind `/api/v1`
 * @param {object | Blob} [body] a document, or a Blob as it is
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Api.Answer<Method, Path>>} the answer's document; `null` for none. Entities in it have `seen`, the
 *   version of the record that shows them.
 */
export async function ask(method, path, body, headers = {}) {
  const response = await send(method, path, body, headers);
  const text = await reached(inTime(response.text()));
  tell(true);
  const answer = parsed(text);
  const version = response.headers.get('Trendy-Version');
  if (version && answer) {
    versions.set(answer, version);
    mark(answer, version, 2);
  }
  return answer;
}

/**
 * Versions of the record by the answers that show it.
 * @type {WeakMap<object, string>}
 */
const versions = new WeakMap();
/**
 * @param {object} answer of `ask`
 * @returns {string | undefined} version of the record that it shows
 */
export const versionOf = (answer) => versions.get(answer);

/**
 * Says of entities which version of the record shows them.
 * @param {unknown} value
 * @param {string} version
 * @param {number} depth to which it is looked into
 */
function mark(value, version, depth) {
  if (!value || typeof value !== 'object') return;
  const entity = /** @type {Api.Entity} */ (value);
  if (entity.id && entity.updated_at) entity.seen = version;
  else if (depth) for (const part of Object.values(value)) mark(part, version, depth - 1);
}

/**
 * A file of the hub, and what it calls it.
 * @param {string} path behind `/api/v1`
 * @returns {Promise<{content: Blob, name: string}>}
 */
export async function askFile(path) {
  const response = await send('GET', path, undefined, {});
  const content = await reached(response.blob());
  tell(true);
  return {
    content,
    name: /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'trendy',
  };
}

export const stream = () => new EventSource(`${BASE}/changes/stream`);
/** The whole record as a file. */
export const backupAddress = `${BASE}/export?form=ndjson`;
