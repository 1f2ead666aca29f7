// The live parts of a page renew themselves: every few seconds, while somebody looks.

const EVERY = 5000; // milliseconds between looks
const LATER = 60_000; // after a look that failed

const parts = [...document.querySelectorAll("[data-live]")];
let tag = document.querySelector("[data-tag]")?.dataset.tag ?? "";

/** Ask what has changed; true if the server answered. The browser asks with the tag that it has, and mostly gets none. */
async function look() {
  const response = await fetch("/live", {cache: "no-cache"}).catch(() => null);
  if (!response?.ok) return false;
  const answer = await response.json();
  if (answer.tag !== tag) for (const part of parts) renew(part, answer.parts[part.dataset.live]);
  ({tag} = answer);
  return true;
}

/** Put new content in place; who was at a link by the keyboard stays there. */
function renew(part, html) {
  const at = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  part.innerHTML = html; // of this site's own templates, which escape what strangers wrote
  if (at !== null) [...part.querySelectorAll("a")].find((link) => link.getAttribute("href") === at)?.focus();
}

async function go() {
  const wait = document.hidden || (await look()) ? EVERY : LATER;
  setTimeout(go, wait);
}

if (parts.length) setTimeout(go, EVERY);
