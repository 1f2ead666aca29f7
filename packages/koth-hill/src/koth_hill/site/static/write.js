// The page on which a bot is written: tries are sent to be checked and tried; what becomes of them is shown beside.

import {ask} from "./ask.js";
import {find, make, makeButton} from "./dom.js";
import {Files} from "./files.js";
import {findLines} from "./places.js";
import {SENT, WORK} from "./place.js";
import {visible} from "./names.js";

const MOST_LINES = 30;
const form = find("write");
const files = new Files(form, () => form.requestSubmit(form.querySelector("[value=try]")));
find("sides").hidden = false;
/** The texts that were sent last: their lines are those that mistakes name. */
let sent = files.saved;

function showProblem(text) {
  find("problem").hidden = !text;
  find("problem").textContent = visible(text, 500);
}

/** Where the result is below the source, go there. */
function showResult() {
  if (matchMedia("(max-width: 900px)").matches) find("sides").scrollIntoView();
}

/** Send the bot, or have it checked or tried, while the page goes on beside it. */
async function send(button) {
  if (form.ariaBusy) return; // it was sent already
  form.ariaBusy = "true";
  const words = new FormData(form, button);
  sent = files.texts();
  showProblem("");
  mark([]);
  const options = {method: "POST", body: words, headers: {Accept: "application/json"}};
  const answer = await ask(form.action, options).catch(() => null);
  const {address, problem, left} = answer === null ? {} : await answer.json().catch(() => ({}));
  if (address && address !== location.pathname + location.search) {
    files.forget();
    location.assign(address);
    return; // busy until the page goes
  }
  form.ariaBusy = null;
  if (!address) {
    showProblem(problem ?? "the site does not answer; what you typed is kept in this browser");
    return;
  }
  find("left").textContent = left;
  form.dataset.sent = String(Number(form.dataset.sent ?? 0) + 1);
  dispatchEvent(new Event(SENT));
  showResult();
}

form.addEventListener("submit", (event) => {
  files.write();
  event.preventDefault();
  send(event.submitter);
});

addEventListener("pageshow", () => { form.ariaBusy = null; }); // a browser may show the page of before again

/** Show the mistakes at their lines, in the editor and in a list that leads there. */
function mark(places) {
  const list = find("lines");
  list.hidden = places.length === 0;
  list.replaceChildren(...places.slice(0, MOST_LINES).map(({file, line, message}) => make("li", null, makeButton(
    [make("b", null, `${files.isOne() ? "" : `${file}, `}line ${line}`), ` ${visible(message, 300)}`],
    () => files.jump(file, line)))));
  files.mark(places);
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

/** The lines that a try's mistakes name, each once, in files that are as they were sent. */
function mistakes({said, text, faults}) {
  const words = [[text, text], [said, text], ...faults.map((fault) => [`${fault.text}\n${fault.remark}`, fault.text])];
  const now = Object.fromEntries(files.texts());
  const same = sent.filter(([file, source]) => now[file] === source).map(([file]) => file);
  const found = words.flatMap(([one, head]) => same.flatMap((file) =>
    findLines(one, file, head, same).map((place) => ({file, ...place}))));
  const placeOf = ({file, line}) => `${file}:${line}`;
  return found.filter((one, at) => at === found.findIndex((other) => placeOf(other) === placeOf(one)));
}

const refused = find("refused");
if (refused) { // the version that is in the editor: its mistakes are shown as those of a try
  const [text, ...said] = refused.innerText.split("\n");
  const places = mistakes({said: said.join("\n"), text, faults: []});
  mark(places);
  if (places.length) files.jump(places[0].file, places[0].line);
}

let isFirst = true;
addEventListener(WORK, (event) => {
  const now = event instanceof CustomEvent ? event.detail : null;
  if (isFirst && !now.isOver) showResult();
  isFirst = false;
  find("transcript").hidden = !now.transcript;
  if (now.transcript) find("transcript").href = now.transcript;
  if (now.isOver) mark(mistakes(now));
  if (now.state === "broken") { // the match that is there is that of an earlier try
    find("sides").querySelector("[value=match]").disabled = true;
    show("rules");
  } else if (now.state === "played") lookForMatch();
});

function countRivals() {
  const names = [...form.querySelectorAll("[name=against]:checked")].map((box) => box.closest("label").textContent.trim());
  find("rivals").querySelector("output").textContent = names.length ? names.join(", ") : "samples";
}
find("rivals").addEventListener("change", countRivals);
countRivals();
