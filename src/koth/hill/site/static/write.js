// The page on which a bot is written: the editor, what is typed kept, drafts sent to be checked and tried.

import {find, make, makeButton} from "./dom.js";
import {createEditor} from "./editor.js";
import {findLines} from "./places.js";
import {SENT, WORK} from "./place.js";
import {visible} from "./names.js";

const LINES = 30;
const form = find("write");
const area = find("id_source");
const file = find("id_file");
const saved = area.value;

/** Where what is typed stays until it is sent: a place for each bot and language of this hill. */
const shelfOf = (path, name) => `koth-write ${path} ${name}`;
const shelf = shelfOf(location.pathname, file.value);
const typed = localStorage.getItem(shelf);

const editor = createEditor(find("editor"), {
  text: typed ?? saved,
  file: file.value,
  changed: (text) => localStorage.setItem(shelf, text),
  run: () => form.requestSubmit(form.querySelector("[value=try]")),
});
area.hidden = true;
find("editor").hidden = false;
find("sides").hidden = false;

if (typed !== null && typed !== saved) {
  const note = find("back-again");
  note.hidden = false;
  note.querySelector("button").addEventListener("click", () => {
    editor.replace(saved);
    localStorage.removeItem(shelf);
    note.hidden = true;
  });
}

function showProblem(text) {
  find("problem").hidden = !text;
  find("problem").textContent = visible(text, 500);
}

/** Send the draft to be checked or tried; the page goes on beside it. */
async function ask(button) {
  const words = new FormData(form, button);
  find("back-again").hidden = true;
  showProblem("");
  mark([]);
  const options = {method: "POST", body: words, headers: {Accept: "application/json"}};
  const answer = await fetch(form.action, options).catch(() => null);
  const {address, problem} = answer === null ? {} : await answer.json().catch(() => ({}));
  if (!address) {
    showProblem(problem ?? "the site does not answer; what you typed is kept in this browser");
    return;
  }
  if (address !== location.pathname) {
    localStorage.removeItem(shelf);
    location.assign(address);
  } else dispatchEvent(new Event(SENT));
}

form.addEventListener("submit", (event) => {
  area.value = editor.text();
  const button = event.submitter;
  if (button?.value === "send") {
    localStorage.removeItem(shelf);
    return;
  }
  event.preventDefault();
  ask(button);
});

/** Show the mistakes at their lines, in the editor and in a list that leads there. */
function mark(places) {
  const list = find("lines");
  list.hidden = places.length === 0;
  list.replaceChildren(...places.slice(0, LINES).map(({line, message}) => make("li", null, makeButton(
    [make("b", null, `line ${line}`), ` ${visible(message, 300)}`], () => editor.jump(line)))));
  editor.mark(places);
}

function show(side) {
  document.body.dataset.side = side;
  for (const button of find("sides").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === side));
  }
  dispatchEvent(new Event("resize")); // a board that was hidden has a size now
}

find("sides").addEventListener("click", ({target}) => {
  if (target instanceof HTMLButtonElement) show(target.value);
});
/** The viewer puts a match on the page, perhaps before this module has come. */
function lookForMatch() {
  const isThere = find("match") !== null;
  find("sides").querySelector("[value=match]").disabled = !isThere;
  if (isThere) show("match");
}
new MutationObserver(lookForMatch).observe(document.body, {childList: true});
lookForMatch();

addEventListener(WORK, (event) => {
  const now = event instanceof CustomEvent ? event.detail : null;
  for (const button of form.querySelectorAll("[value=check], [value=try]")) button.disabled = !now.isOver;
  if (!now.isOver) return;
  const texts = [[now.said, now.text], ...now.faults.map((fault) => [`${fault.text}\n${fault.remark}`, fault.text])];
  mark(texts.flatMap(([text, head]) => findLines(text, file.value, head)));
  find("transcript").hidden = !now.transcript;
  if (now.transcript) find("transcript").href = now.transcript;
});

function countRivals() {
  const names = [...form.querySelectorAll("[name=against]:checked")].map((box) => box.closest("label").textContent.trim());
  find("rivals").querySelector("output").textContent = names.length ? names.join(", ") : "samples";
}
find("rivals").addEventListener("change", countRivals);
countRivals();
