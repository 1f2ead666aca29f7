// The page: the list of matches, the match being watched, and what the address holds.

import {describe, listen} from "./keys.js";
import {MatchView} from "./match.js";
import {visible} from "./names.js";
import {listing} from "./place.js";

const find = (id) => document.getElementById(id);
let matches = [];
let view = null;
let open = null; // the match being watched

/** What the address says: {match, turn, speed, eyes, bot}, all optional. */
const address = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function writeAddress(state) {
  const words = new URLSearchParams();
  if (matches.length > 1) words.set("match", open.name);
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
  const match = matches.length === 1 ? matches[0] : matches.find(({name}) => name === wanted.match);
  if (match && match === open) return view.restore(wanted);
  view?.close();
  view = null;
  open = match ?? null;
  find("status").textContent = "";
  find("status").className = "";
  find("matches").hidden = match !== undefined;
  find("back").hidden = match === undefined || matches.length < 2;
  if (match) {
    view = new MatchView(match, wanted, writeAddress, fail, () => location.reload());
  } else {
    showList(wanted.match);
  }
  return undefined;
}

function showList(missing) {
  find("title").textContent = "koth";
  find("subtitle").textContent = `${matches.length} matches`;
  if (missing !== undefined) fail(`there is no match ${missing} here`);
  const rows = matches.map((match) => {
    const row = document.createElement("tr");
    const link = document.createElement("a");
    link.textContent = visible(match.name);
    link.href = `#${new URLSearchParams({match: match.name})}`;
    const best = match.scores ? leaders(match.scores) : "still playing, or cut short";
    const cells = [link, match.turns ?? "", best, match.bots.map(visible).join(", ")].map((content) => {
      const td = document.createElement("td");
      td.append(content);
      return td;
    });
    row.append(...cells);
    return row;
  });
  find("matches").querySelector("tbody").replaceChildren(...rows);
}

function leaders(scores) {
  const top = Math.max(...Object.values(scores));
  const names = Object.keys(scores).filter((name) => scores[name] === top);
  return `${names.map(visible).join(", ")}: ${Math.round(100 * top) / 100}`;
}

function goToMatch(by) {
  const next = matches[matches.indexOf(open) + by];
  if (next) location.hash = new URLSearchParams({match: next.name});
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  view?.restyle();
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
    "toggle", "step", "jump", "moment", "faster", "zoom", "whole", "follow", "nextBot", "eyes", "letGo",
  ];
  listen({
    ...Object.fromEntries(names.map((name) => [name, forView(name)])),
    match: goToMatch,
    theme: toggleTheme,
    help: () => find("keys").showModal(),
  });
  ({matches} = await listing());
  addEventListener("hashchange", route);
  route();
}

start().catch((error) => fail(error.message));
