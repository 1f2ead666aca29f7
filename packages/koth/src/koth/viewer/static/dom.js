// Elements: found by their id, or made with what they hold. Text goes in as text, never as HTML.

/**
 * The element of the page with this id.
 * @param {string} id
 * @returns {any}
 */
export const find = (id) => document.getElementById(id);

/**
 * A new element. Attributes with a dash in their name are set as attributes, `on` holds listeners by event, everything
 * else is a property; what is null or undefined among the children is left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} attributes
 * @param {...any} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = null, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (name === "style") Object.assign(element.style, value);
    else if (name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * A button with these words (or elements) in it.
 * @param {any} content
 * @param {(event: Event) => void} press
 * @param {Record<string, any>} attributes
 */
export const makeButton = (content, press, attributes = {}) =>
  make("button", {type: "button", ...attributes, on: {click: press}}, ...[content].flat());

/** A round patch of a bot's colour, with its pattern. */
export const swatch = (color = "", pattern = 0) =>
  make("i", {className: `swatch p${pattern}`, style: {backgroundColor: color}});

/**
 * What an event happened to, as an element (a document or a window is none).
 * @param {Event} event
 * @returns {any}
 */
export const targetOf = (event) => (event.target instanceof Element ? event.target : null);

/** A visible name that is shown whole: where it has no room it goes on in the next line, after `_` or `-` if it can. */
export const wrapping = (name) =>
  make("span", {className: "wraps"}, ...name.split(/(?<=[_-])/).flatMap((part, k) => (k ? [make("wbr"), part] : [part])));
