// What is asked of the hub, and how an answer that says no is told.

const BASE = '/api/v1';

/** The hub said no: a problem document (RFC 9457). */
export class Refused extends Error {
  /** @param {number} status @param {any} problem @param {number} retryAfter seconds */
  constructor(status, problem, retryAfter) {
    super(problem?.detail || problem?.title || `The hub answered ${status}.`);
    this.status = status;
    this.kind = String(problem?.type ?? '').replace('urn:trendy:error:', '');
    this.requestId = problem?.request_id ?? '';
    this.retryAfter = retryAfter;
  }
  /** Whether asking again later can change the answer. A full record does not pass: what comes behind, such as a deletion, makes room. */
  get passes() { return this.kind !== 'quota_exceeded' && (this.status === 408 || this.status === 429 || this.status >= 500); }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() { super('The hub does not answer.'); }
}

/** @type {((isReached: boolean) => void)[]} */
const listeners = [];
/** Told after each request whether the hub answered. @param {(isReached: boolean) => void} listener */
export const onReach = (listener) => { listeners.push(listener); };
const tell = (/** @type {boolean} */ isReached) => { for (const listener of listeners) listener(isReached); };

/** Says that the hub was heard by other ways than a request, such as a stream. */
export const answered = () => tell(true);

/** Seconds by which this browser's clock is ahead of the hub's, as the last answer told. */
let ahead = 0;
/** Seconds by which this browser's clock is ahead of the hub's; 0 where that is too little to matter. */
export const clockAhead = () => (Math.abs(ahead) < 120 ? 0 : ahead);

/** @param {Response} response */
function compareClocks(response) {
  const there = Date.parse(response.headers.get('Date') ?? '');
  if (!Number.isNaN(there)) ahead = Math.round((Date.now() - there) / 1000);
}

/**
 * @param {string} method @param {string} path behind `/api/v1` @param {any} body a document, or a Blob as it is @param {Record<string, string>} headers
 * @returns {Promise<Response>} of which the body is not read yet; what refuses is thrown
 */
async function send(method, path, body, headers) {
  const response = await reached(fetch(BASE + path, {
    method, credentials: 'same-origin', cache: 'no-store',
    headers: { ...(body === undefined ? {} : { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' }), ...headers },
    body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
  }));
  compareClocks(response);
  // A gateway in front of a hub that is down.
  if (response.status === 502 || response.status === 504) { tell(false); throw new Unreachable(); }
  if (response.ok) return response;
  const document = parsed(await reached(response.text()));
  tell(true);
  throw new Refused(response.status, document, Number(response.headers.get('Retry-After')) || 5);
}

/** @template T @param {Promise<T>} answer */
async function reached(answer) {
  try { return await answer; } catch { tell(false); throw new Unreachable(); }
}

/** @param {string} text */
function parsed(text) {
  try { return text ? JSON.parse(text) : null; } catch { return null; /* a proxy's own page; its status says enough */ }
}

/**
 * @param {string} method @param {string} path behind `/api/v1` @param {any} [body] a document, or a Blob as it is
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>} the answer's document; `null` for none
 */
export async function ask(method, path, body, headers = {}) {
  const text = await reached((await send(method, path, body, headers)).text());
  tell(true);
  return parsed(text);
}

/** A file of the hub, and what it calls it. @param {string} path behind `/api/v1` @returns {Promise<{content: Blob, name: string}>} */
export async function askFile(path) {
  const response = await send('GET', path, undefined, {});
  const content = await reached(response.blob());
  tell(true);
  return { content, name: /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'trendy' };
}

export const stream = () => new EventSource(`${BASE}/changes/stream`);
/** The whole record as a file. */
export const backupAddress = `${BASE}/export?form=ndjson`;

/** An id that rises with time (UUID of version 7, RFC 9562). */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = Date.now();
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256;
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
