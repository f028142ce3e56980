// Creates elements. All text becomes text nodes, and markup is never parsed.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @typedef {Record<string, any>} Attributes `on` contains listeners by event, `set` custom style properties, `dataset`
 *   data attributes. A function is a listener. `true` sets an attribute without a value; `false`, `null` and
 *   `undefined` omit the attribute.
 */

/**
 * Called with the error of a failed listener.
 * @type {(error: unknown) => void}
 */
let failed = (error) => console.error(error);
/** @param {(error: unknown) => void} listener */
export const onFailure = (listener) => {
  failed = listener;
};
// Report unhandled promise rejections in the same way.
window.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  failed(event.reason);
});

/**
 * Wraps a listener so that its promise's rejection is reported.
 * @param {(event: Event) => unknown} listener
 * @returns {(event: Event) => void}
 */
const handled = (listener) => (event) => {
  const result = listener(event);
  if (result instanceof Promise) result.catch((error) => failed(error));
};

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
function apply(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, handled(listener));
    } else if (name === 'set') {
      const { style } = /** @type {HTMLElement | SVGElement} */ (element);
      for (const [property, text] of Object.entries(value)) style.setProperty(property, String(text));
    } else if (name === 'dataset') {
      Object.assign(/** @type {HTMLElement} */ (element).dataset, value);
    } else if (name === 'value') {
      /** @type {HTMLInputElement} */ (element).value = value;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * @param {Node} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * @param {string} tag tag with classes, for example `div.row.quiet`
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  if (attributes) apply(element, attributes);
  append(element, children);
  return element;
}

/**
 * Returns a form that an action of the page submits. The action also validates the fields.
 * @param {() => unknown} action
 * @param {...Child} children
 */
export const actionForm = (action, ...children) =>
  h(
    'form',
    {
      novalidate: true,
      on: {
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          return action();
        },
      },
    },
    ...children,
  );

/**
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElementNS(SVG, name);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  if (attributes) apply(element, attributes);
  append(element, children);
  return /** @type {SVGElement} */ (element);
}

/**
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Announces text to screen readers.
 * @param {string} text
 */
export function say(text, isUrgent = false) {
  const region = document.getElementById(isUrgent ? 'warned' : 'said');
  if (!region) return;
  // Repeated text must differ to be announced again.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
