// The page: the list of matches, the match being watched, and what the address holds.

import {Bench} from "./bench.js";
import {Dashboard} from "./dashboard.js";
import {find, make} from "./dom.js";
import {describe, listen} from "./keys.js";
import {goesOn} from "./listing.js";
import {MatchView} from "./match.js";
import {visible} from "./names.js";
import {fetchReplay, listenForFiles} from "./openfile.js";
import {attempt, keep, recall} from "./optional.js";
import {linkTo, listing, runNow} from "./place.js";

let matches = [];
let site = null; // the files around this one: {home, before, next, of, files}, if it is one of a site's
let dashboard = null;
let view = null;
let open = null; // the match being watched
let routes = 0; // ways that were taken: a replay that comes when another has been asked for is late
let isDev = false; // somebody is at work on a bot, and more matches will come

/** What the address says: {match, turn, speed, eyes, bot, live, who, view, onwards, of, replay, matches, show}, all optional. */
const address = (hash = location.hash) => Object.fromEntries(new URLSearchParams(hash.slice(1)));

/** Whether the page is one match's. */
const isAlone = () => matches.length === 1 && !dashboard.isRun && !isDev;

function writeAddress(state) {
  const words = new URLSearchParams();
  if (open.address) words.set("replay", open.address);
  else if (!open.bytes && !isAlone()) words.set("match", open.name);
  for (const [key, value] of Object.entries(state)) if (value !== null) words.set(key, value);
  attempt(() => history.replaceState(null, "", `#${words}`)); // a page in a frame may have no address of its own
}

function fail(text) {
  const status = find("status");
  status.className = "error";
  status.textContent = visible(text, 300);
}

async function route(wanted = address()) {
  const mine = ++routes;
  if (wanted.replay === undefined || wanted.replay === open?.address) {
    showListed(wanted);
    return;
  }
  try {
    const match = await fetchReplay(wanted.replay);
    if (mine === routes) watch({...match, address: wanted.replay}, wanted);
  } catch (error) {
    if (mine !== routes) return;
    if (!open) showListed({});
    fail(error.message);
  }
}

/** Show what the address wants of the list: a match, or the contest. */
function showListed(wanted) {
  const alone = isAlone();
  const match = alone ? matches[0] : matches.find(({name}) => name === wanted.match);
  const isOpen = open && (wanted.replay !== undefined || (match && match.name === open.name));
  if (isOpen) view.restore(wanted);
  else if (match) watch(match, wanted);
  else showContest(wanted);
}

function closeMatch() {
  view?.close();
  view = null;
  open = null;
  find("status").textContent = "";
  find("status").className = "";
}

/** Watch a match, of the list or from elsewhere. */
function watch(match, wanted = {}) {
  closeMatch();
  open = match;
  const alone = isAlone();
  find("back").hidden = !site?.home && (alone || (matches.length === 0 && !dashboard.isRun));
  wayBack("matches", `${site?.home ?? ""}#matches=`);
  dashboard.hide();
  const failed = (text) => {
    if (match.bytes && open === match && !view.picture) showListed({}); // what is not a replay is not on the page
    fail(text);
  };
  view = new MatchView(match, wanted, {
    writeAddress, fail: failed, replaced: () => location.reload(), next: () => goToMatch(1),
    hasNext: () => neighbour(1) !== null, look,
  });
}

/** Where the link at the top leads. */
function wayBack(words, href) {
  find("back").querySelector("span").textContent = ` ${words}`;
  find("back").setAttribute("aria-label", `Back to the ${words}`);
  find("back").href = href;
}

function showContest(wanted) {
  closeMatch();
  const of = wanted.of ?? site?.of ?? null;
  find("back").hidden = of === null && !site?.home;
  wayBack("standings", site?.home || "#");
  dashboard.show(of, wanted.matches !== undefined);
  if (wanted.match !== undefined) fail(`there is no match ${wanted.match} here`);
}

/** The address of the match that is this many places after the one being watched, or null. */
function neighbour(by) {
  const more = find("onwards")?.checked ? {play: "", onwards: ""} : {};
  const other = by > 0 ? site?.next : site?.before;
  if (other) return `${other}#${new URLSearchParams(more)}`;
  const at = matches.findIndex(({name}) => name === open?.name);
  const next = at < 0 ? undefined : matches[at + by];
  return next ? linkTo({match: next.name, ...more}) : null;
}

/** Beside `koth dev`: the new match in place of the one before, at the same turn. */
async function showAgain(name) {
  const words = {...address(), match: name, ...(view?.playback.playing ? {play: ""} : {})};
  const found = await listing();
  const match = found.matches.find((one) => one.name === name);
  if (!match) return false;
  ({matches} = found);
  watch(match, words);
  find("written").open = true;
  return true;
}

/** In a contest that runs more matches may have begun; whether more may begin. */
async function look() {
  if (!dashboard.isRun) return false;
  const run = await runNow(); // before the list: what begins between the two is in it
  ({matches} = await listing());
  return run !== null && goesOn(run);
}

async function goToMatch(by) {
  if (!neighbour(by)) await look().catch((error) => fail(error.message));
  const next = neighbour(by);
  if (next) location.href = next;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  view?.restyle();
  dashboard?.restyle();
}

function toggleTheme() {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  keep("koth-theme", theme);
  setTheme(theme);
}

const forView = (name) => (argument) => view?.[name](argument);

async function start() {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => recall("koth-theme") ?? (prefers.matches ? "dark" : "light");
  prefers.addEventListener("change", () => setTheme(theme()));
  setTheme(theme());
  document.body.classList.toggle("show", "show" in address()); // what is still to come stays hidden
  describe(find("keys").querySelector("dl"));
  find("theme").addEventListener("click", toggleTheme);
  find("help").addEventListener("click", () => find("keys").showModal());
  const names = [
    "toggle", "live", "step", "jump", "moment", "faster", "zoom", "whole", "follow", "nextBot", "eyes", "letGo",
    "seek", "full", "photo",
  ];
  listen({
    ...Object.fromEntries(names.map((name) => [name, forView(name)])),
    match: goToMatch,
    theme: toggleTheme,
    help: () => find("keys").showModal(),
  });
  const found = await listing();
  ({matches, site} = found);
  ({isDev} = found);
  const files = Object.entries(site?.files ?? {});
  find("files").hidden = files.length === 0;
  find("files").append(...files.map(([href, words]) => make("li", null, make("a", {href}, words))));
  dashboard = new Dashboard(matches, found.isRun === true, (now) => { matches = now; }, fail);
  listenForFiles((match) => watch(match), fail);
  // What is asked for stands in the event: until it comes, a picture that is drawn may write its own turn over it.
  addEventListener("hashchange", ({newURL}) => {
    route(address(new URL(newURL).hash)).catch((error) => fail(error.message));
  });
  await route();
  if (isDev) {
    new Bench({turn: () => Number(address().turn ?? 0), show: showAgain, jump: (turn) => view?.jump(turn)});
  }
}

start().catch((error) => fail(error.message));
