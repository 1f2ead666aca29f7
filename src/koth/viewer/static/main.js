// The page: the list of matches, the match being watched, and what the address holds.

import {Dashboard} from "./dashboard.js";
import {find} from "./dom.js";
import {describe, listen} from "./keys.js";
import {MatchView} from "./match.js";
import {visible} from "./names.js";
import {listing} from "./place.js";

let matches = [];
let dashboard = null;
let view = null;
let open = null; // the match being watched

/** What the address says: {match, turn, speed, eyes, bot, live}, all optional. */
const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function writeAddress(state) {
  const words = new URLSearchParams();
  if (matches.length > 1 || dashboard.isRun) words.set("match", open.name);
  for (const [key, value] of Object.entries(state)) if (value !== null) words.set(key, value);
  // A page inside another one's text (about:srcdoc) has no address of its own.
  if (location.protocol !== "about:") history.replaceState(null, "", `#${words}`);
}

function fail(text) {
  const status = find("status");
  status.className = "error";
  status.textContent = visible(text);
}

function route() {
  const wanted = address();
  const alone = matches.length === 1 && !dashboard.isRun;
  const match = alone ? matches[0] : matches.find(({name}) => name === wanted.match);
  if (match && match.name === open?.name) return view.restore(wanted);
  view?.close();
  view = null;
  open = match ?? null;
  find("status").textContent = "";
  find("status").className = "";
  find("back").hidden = match === undefined || alone;
  if (match) {
    dashboard.hide();
    view = new MatchView(match, wanted, writeAddress, fail, () => location.reload());
  } else {
    dashboard.show();
    if (wanted.match !== undefined) fail(`there is no match ${wanted.match} here`);
  }
  return undefined;
}

function goToMatch(by) {
  const next = matches[matches.findIndex(({name}) => name === open?.name) + by];
  if (next) location.hash = String(new URLSearchParams({match: next.name}));
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  view?.restyle();
  dashboard?.restyle();
}

function toggleTheme() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  remember(theme);
  setTheme(theme);
}

/** A page that is shut in (a sandboxed frame) may keep nothing, and need not. */
const shelf = () => (self.origin === "null" ? null : localStorage);
const remember = (theme) => shelf()?.setItem("koth-theme", theme);
const remembered = () => shelf()?.getItem("koth-theme") ?? null;

const forView = (name) => (argument) => view?.[name](argument);

async function start() {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => remembered() ?? (prefers.matches ? "dark" : "light");
  prefers.addEventListener("change", () => setTheme(theme()));
  setTheme(theme());
  describe(find("keys").querySelector("dl"));
  find("theme").addEventListener("click", toggleTheme);
  find("help").addEventListener("click", () => find("keys").showModal());
  const names = [
    "toggle", "live", "step", "jump", "moment", "faster", "zoom", "whole", "follow", "nextBot", "eyes", "letGo",
  ];
  listen({
    ...Object.fromEntries(names.map((name) => [name, forView(name)])),
    match: goToMatch,
    theme: toggleTheme,
    help: () => find("keys").showModal(),
  });
  const found = await listing();
  ({matches} = found);
  dashboard = new Dashboard(matches, found.isRun === true, (now) => { matches = now; }, fail);
  addEventListener("hashchange", route);
  route();
}

start().catch((error) => fail(error.message));
