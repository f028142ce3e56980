import { currentUser, preference, setPreference } from './preferences.js';
import { texts } from '../texts.js';

export { newId } from './id.js';

const BASE = '/api/v1';

/** Timeout of a request, in milliseconds. */
const PATIENCE = 5000;
/** Timeout in milliseconds for files and for requests that change many entries. */
const LONG_PATIENCE = 60_000;
const LONG_ACTS = /\/(merge|unmerge|split|restore|preview|commit|undo)(\?|$)|^\/export/;

/** Matches ids, which are removed from error messages because users do not know them. */
const ID = /\s*"?\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"?/gi;

/** Error: the hub rejected a request with a problem document (RFC 9457). */
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
   * Whether a retry can succeed. Retries fail while the record is full, until something is deleted, perhaps by the
   * next write in the queue.
   */
  get passes() {
    return this.kind !== 'quota_exceeded' && (this.status === 408 || this.status === 429 || this.status >= 500);
  }
}

/** Error: the hub did not respond. */
export class Unreachable extends Error {
  constructor() {
    super(texts.error.unreachable);
  }
}

/** @type {((isReached: boolean) => void)[]} */
const listeners = [];
/**
 * Registers a listener that is called after each request and receives whether the hub responded.
 * @param {(isReached: boolean) => void} listener
 */
export const onReach = (listener) => {
  listeners.push(listener);
};
const notify = (/** @type {boolean} */ isReached) => {
  for (const listener of listeners) listener(isReached);
};

/** Called when this browser has been paired with a user other than the page's user. */
let onOther = () => {};
/** @param {() => void} listener */
export const onOtherPerson = (listener) => {
  onOther = listener;
};

/** Reports that the hub was reached without a request, such as through the change stream. */
export const answered = () => notify(true);

/** Seconds by which this browser's clock was ahead of the hub's in the last response. */
let ahead = 0;
/**
 * Returns the seconds by which this browser's clock is ahead of the hub's, or 0 if the difference is less than two
 * minutes.
 */
export const clockAhead = () => (Math.abs(ahead) < 120 ? 0 : ahead);

/**
 * Milliseconds to add to this browser's clock to obtain the hub's time, or `null` before the first response.
 * @type {number | null}
 */
let offset = null;
/** Round-trip time of the request that determined the offset, in milliseconds. */
let roundTrip = Infinity;
/** Maximum round-trip time in milliseconds for comparing clocks. */
const LONGEST_ROUND_TRIP = 60_000;

/** Returns the estimated hub time in milliseconds since 1970, with which edits are stamped. */
export const hubTime = () => Date.now() + (offset ?? (Number(preference('clock')) || 0));

/**
 * Determines the clock offset from a response.
 * @param {Response} response
 * @param {number} sentAt time of the request on this browser's clock
 */
function compareClocks(response, sentAt) {
  const there = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(there)) ahead = Math.round((Date.now() - there) / 1000);
  const time = Number(response.headers.get('Trendy-Time'));
  const taken = Date.now() - sentAt;
  if (!time || taken < 0 || taken > LONGEST_ROUND_TRIP) return;
  const measured = Math.round(time - sentAt - taken / 2);
  // A slow response yields a less accurate offset than an earlier fast one, so ignore it unless a clock was set in
  // between.
  if (offset !== null && taken > roundTrip && Math.abs(measured - offset) <= taken) return;
  if (Math.abs(measured - (offset ?? Infinity)) > 100) setPreference('clock', String(measured));
  offset = measured;
  roundTrip = taken;
}

/**
 * @param {string} method
 * @param {string} path after `/api/v1`
 * @param {object | Blob | undefined} body JSON document or raw bytes
 * @param {Record<string, string>} headers
 * @returns {Promise<Response>} successful response whose body has not been read
 */
async function send(method, path, body, headers) {
  const sentAt = Date.now();
  const person = currentUser();
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
        // The cookie belongs to the user who paired last, so the hub must check that the page is showing that user's
        // record.
        ...(person ? { 'Trendy-Person': person } : {}),
        ...headers,
      },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    }),
  ).finally(() => clearTimeout(timer));
  compareClocks(response, sentAt);
  // A gateway uses these statuses to report that the hub is down.
  if (response.status === 502 || response.status === 504) {
    notify(false);
    throw new Unreachable();
  }
  if (response.ok) return response;
  const document = parsed(await reached(inTime(response.text())));
  notify(true);
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
    notify(false);
    throw new Unreachable();
  }
}

/**
 * Waits for the rest of a response, with a timeout.
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
 * @param {Path} path after `/api/v1`
 * @param {object | Blob} [body] JSON document or raw bytes
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Api.Answer<Method, Path>>} document of the response, or `null`. The `seen` of each entity is the
 *   version of the record.
 */
export async function ask(method, path, body, headers = {}) {
  const response = await send(method, path, body, headers);
  const text = await reached(inTime(response.text()));
  notify(true);
  const answer = parsed(text);
  const version = response.headers.get('Trendy-Version');
  if (version && answer) {
    versions.set(answer, version);
    mark(answer, version, 2);
  }
  return answer;
}

/**
 * Record version that each response reflects.
 * @type {WeakMap<object, string>}
 */
const versions = new WeakMap();
/**
 * @param {object} answer response of `ask`
 * @returns {string | undefined} version of the record reflected in the response
 */
export const versionOf = (answer) => versions.get(answer);

/**
 * Sets `seen` of each entity to the record version from which it was read.
 * @param {unknown} value
 * @param {string} version
 * @param {number} depth number of nesting levels to search
 */
function mark(value, version, depth) {
  if (!value || typeof value !== 'object') return;
  const entity = /** @type {Api.Entity} */ (value);
  if (entity.id && entity.updated_at) entity.seen = version;
  else if (depth) for (const part of Object.values(value)) mark(part, version, depth - 1);
}

/**
 * @param {string} path after `/api/v1`
 * @returns {Promise<{content: Blob, name: string}>}
 */
export async function askFile(path) {
  const response = await send('GET', path, undefined, {});
  const content = await reached(response.blob());
  notify(true);
  return {
    content,
    name: /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'trendy',
  };
}

export const stream = () => new EventSource(`${BASE}/changes/stream`);
/** URL for downloading the whole record as a file. */
export const backupAddress = `${BASE}/export?form=ndjson`;
