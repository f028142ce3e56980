// This browser's preferences, kept separately for each user.

/** Id of the user whose record the page is showing, or empty until a user is paired. */
let owner = '';

/** @param {string} person id of the user */
export const useUser = (person) => {
  owner = person;
};
export const currentUser = () => owner;

/**
 * @param {string} name
 * @returns {string | null}
 */
export function preference(name) {
  try {
    return localStorage.getItem(`${owner}/${name}`);
  } catch {
    return null; // Storage is forbidden.
  }
}

/**
 * Stores a preference, or removes it if the value is `null`.
 * @param {string} name
 * @param {string | null} value
 * @returns {boolean} whether it was stored
 */
export function setPreference(name, value) {
  try {
    if (value === null) localStorage.removeItem(`${owner}/${name}`);
    else localStorage.setItem(`${owner}/${name}`, value);
    return true;
  } catch {
    return false; // Storage is forbidden or full. The setting lasts until the page is closed.
  }
}

/** @param {string} person */
function deletePreferences(person) {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(`${person}/`)) localStorage.removeItem(key);
    }
  } catch {
    /* Storage is forbidden. */
  }
}

// MARK: Tab preferences

/**
 * @param {string} name
 * @returns {string | null}
 */
export function tabPreference(name) {
  try {
    return sessionStorage.getItem(`${owner}/${name}`);
  } catch {
    return null; // Storage is forbidden.
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function setTabPreference(name, value) {
  try {
    sessionStorage.setItem(`${owner}/${name}`, value);
  } catch {
    /* Storage is forbidden or full: the preference is lost. */
  }
}

// MARK: Users

const SESSION = 'session';
const PEOPLE = 'people';

/**
 * @param {string} name
 * @returns {any}
 */
function read(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function write(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    remove(name); // Storage is forbidden or full. Do not leave the previous value in place.
  }
}

/** @param {string} name */
function remove(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    /* Storage is forbidden. */
  }
}

/**
 * Session of a paired browser.
 * @typedef {Pick<Api.Session, 'hub'> & Required<Pick<Api.Session, 'person' | 'device'>>} KnownSession
 */

/**
 * Returns the session of the most recently paired user, or `null` if there is none.
 * @returns {KnownSession | null}
 */
export const storedSession = () => read(SESSION);

/** @param {KnownSession} session response of `GET /session` */
export function storeSession(session) {
  write(SESSION, session);
  write(PEOPLE, { ...read(PEOPLE), [session.person.id]: session.person.name });
}

export const deleteSession = () => remove(SESSION);

/**
 * Returns the names of this browser's users, by id.
 * @returns {Record<string, string>}
 */
export const knownUsers = () => read(PEOPLE) ?? {};

/** @param {string} person */
export function deleteUser(person) {
  const { [person]: _, ...others } = knownUsers();
  write(PEOPLE, others);
  deletePreferences(person);
}

/**
 * Calls `changed` when another tab pairs this browser with another user.
 * @param {string} person
 * @param {() => void} changed
 */
export function onUserChange(person, changed) {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key !== SESSION && key !== null) return;
    if (!newValue || JSON.parse(newValue).person?.id !== person) changed();
  });
}
