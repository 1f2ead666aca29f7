// The live parts of a page renew themselves: every few seconds, while somebody looks.

import {ask} from "./ask.js";
import {localize} from "./times.js";

const LOOK_EVERY = 5000; // milliseconds between looks
const LATER = 60_000; // after a look that failed

/** @type {HTMLElement[]} */
const parts = [...document.querySelectorAll("[data-live]")].filter((part) => part instanceof HTMLElement);
let tag = parts.find((part) => part.dataset.tag)?.dataset.tag ?? "";

/** Ask what has changed; true if the server answered. The browser asks with the tag that it has, and mostly gets none. */
async function look() {
  const response = await ask("/live", {cache: "no-cache"}).catch(() => null);
  if (!response?.ok) return false;
  const answer = await response.json();
  if (answer.tag !== tag) for (const part of parts) renew(part, answer.parts[part.dataset.live]);
  ({tag} = answer);
  return true;
}

/**
 * Put new content in place; a link that had the keyboard's focus keeps it. The HTML is made by the templates that made
 * the page; a parsed document runs no script.
 * @param {HTMLElement} part
 * @param {string} html
 */
function renew(part, html) {
  const {body} = new DOMParser().parseFromString(html, "text/html");
  const old = [...part.childNodes];
  const isSame = body.childNodes.length === old.length && old.every((one, at) => one.isEqualNode(body.childNodes[at]));
  if (isSame) return; // such as a board that moves
  const at = part.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  part.replaceChildren(...body.childNodes);
  localize(part);
  if (at) [...part.querySelectorAll("a")].find((link) => link.getAttribute("href") === at)?.focus();
}

async function go() {
  const wait = document.hidden || (await look()) ? LOOK_EVERY : LATER;
  setTimeout(go, wait);
}

if (parts.length) setTimeout(go, LOOK_EVERY);
