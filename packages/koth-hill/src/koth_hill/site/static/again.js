// Sends the forms of a page, and sends them again while the site is busy: what was typed stays.

import {ask} from "./ask.js";
import {localize} from "./times.js";

/**
 * Send a form; then go where its answer leads, or show the page that is its answer.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
async function send(form, button) {
  const words = new FormData(form, button);
  const body = form.enctype === "multipart/form-data" ? words : new URLSearchParams([...words].map(([key, value]) => [key, String(value)]));
  const answer = await ask(form.action, {method: "POST", headers: {"X-Requested-With": "koth"}, body});
  if (answer.headers.get("Content-Type")?.startsWith("application/json")) {
    location.assign((await answer.json()).address);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  localize(page);
  document.title = page.title;
  document.body.replaceWith(page.body);
  history.replaceState(null, "", answer.url);
  const {hash} = new URL(form.action);
  document.querySelector(hash || "#main")?.scrollIntoView();
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== "post") return;
  event.preventDefault();
  if (form.ariaBusy) return; // it was sent already
  form.ariaBusy = "true";
  send(form, event.submitter).catch(() => {
    form.ariaBusy = null;
    const text = document.createElement("p");
    Object.assign(text, {className: "message error", role: "alert", textContent: "The site does not answer: send it again."});
    form.querySelector(":scope > [role=alert]")?.remove();
    form.prepend(text);
  });
});
