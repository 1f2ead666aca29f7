// The table of a contest's matches: a page at a time, of everybody or of one bot, in the order that is asked for.

import {make} from "./dom.js";
import {isolated, visible} from "./names.js";
import {shortNumber} from "./numbers.js";
import {linkTo} from "./place.js";

const ROWS = 50; // of a page
const NAMED = 12; // bots of a match that are named one by one, those with the best scores
const LEADERS = 3; // who share the best score
const NUMBER = "number"; // the class of columns of numbers
const BEST = "best"; // of what stands for the scores where there is no room for them

const ORDERS = {
  first: ["first to last", (a, b) => a.number - b.number],
  last: ["last to first", (a, b) => b.number - a.number],
  long: ["longest first", (a, b) => (b.turns ?? Infinity) - (a.turns ?? Infinity)],
  short: ["shortest first", (a, b) => (a.turns ?? Infinity) - (b.turns ?? Infinity)],
  best: ["its best first", (a, b, bot) => scoreOf(b, bot) - scoreOf(a, bot)],
  worst: ["its worst first", (a, b, bot) => scoreOf(a, bot) - scoreOf(b, bot)],
};
const UNFINISHED = "still playing, or cut short";
const OF_A_BOT = new Set(["best", "worst"]);

/** "match 3", as the terminal calls it, with `isWhole` "match 3 of 10"; the replay's name of one of no contest. */
export function formatMatch({name, contest}, isWhole = false) {
  const number = Number(/^match-(\d+)$/.exec(name)?.[1] ?? NaN);
  const total = contest?.matches;
  if (!total || Number.isNaN(number)) return visible(name);
  return `match ${number}${isWhole && total >= number ? ` of ${total}` : ""}`;
}

const scoreOf = ({scores}, bot) => scores?.[bot] ?? -Infinity;

export class MatchList {
  #matches = [];
  #swatches = new Map();
  #page = 0;
  #entrants = "";

  constructor(root) {
    const within = (what) => root.querySelector(what);
    this.root = root;
    this.tools = within(".tools");
    this.bot = within(".of");
    this.order = within(".order");
    this.where = within(".where");
    this.head = within("thead tr");
    this.body = within("tbody");
    this.before = within(".before");
    this.after = within(".after");
    for (const select of [this.bot, this.order]) select.addEventListener("change", () => this.#turnTo(0));
    this.before.addEventListener("click", () => this.#turnTo(this.#page - 1));
    this.after.addEventListener("click", () => this.#turnTo(this.#page + 1));
  }

  /** `matches` as they are listed now. */
  show(matches) {
    this.#matches = matches.map((match, number) => ({...match, number}));
    const bots = [...new Set(matches.flatMap((match) => match.bots))];
    this.root.hidden = matches.length === 0;
    this.tools.hidden = matches.length < 2 || bots.length < 2;
    if (bots.join("\n") !== this.#entrants) {
      this.#entrants = bots.join("\n");
      const chosen = this.bot.value;
      const names = bots.toSorted((a, b) => a.localeCompare(b));
      this.bot.replaceChildren(new Option("all bots", ""), ...names.map((name) => new Option(visible(name), name)));
      this.bot.value = bots.includes(chosen) ? chosen : "";
    }
    this.#draw();
  }

  /** Only those of a bot; null: of whom the page says. */
  of(bot) {
    this.bot.value = bot ?? "";
    this.#turnTo(0);
  }

  /** Who makes swatches of the contest's bots, by name. */
  paint(swatches) {
    this.#swatches = swatches;
    this.#draw();
  }

  #turnTo(page) {
    this.#page = page;
    this.#draw();
  }

  #draw() {
    const bot = this.bot.value;
    this.#offerOrders(bot);
    const [, compare] = ORDERS[this.order.value];
    const found = this.#matches.filter(({bots}) => !bot || bots.includes(bot));
    const pages = Math.max(Math.ceil(found.length / ROWS), 1);
    this.#page = Math.min(Math.max(this.#page, 0), pages - 1);
    const first = this.#page * ROWS;
    const listed = found.sort((a, b) => compare(a, b, bot) || a.number - b.number).slice(first, first + ROWS);
    const heads = [["match"], ["turns", NUMBER], ...(bot ? [["its score", NUMBER], ["its rank", NUMBER]] : []), ["best", BEST], ["scores"]];
    this.head.replaceChildren(...heads.map(([text, kind = ""]) => make("th", {scope: "col", className: kind}, text)));
    this.body.replaceChildren(...listed.map((match) => this.#row(match, bot)));
    for (const button of [this.before, this.after]) button.hidden = pages === 1;
    this.before.disabled = this.#page === 0;
    this.after.disabled = this.#page === pages - 1;
    this.where.textContent = pages === 1 ? `${found.length} ${found.length === 1 ? "match" : "matches"}` : `${first + 1} to ${first + listed.length} of ${found.length}`;
  }

  /** By its score only when there is a bot whose score it could be. */
  #offerOrders(bot) {
    const chosen = this.order.value || "first";
    const names = Object.keys(ORDERS).filter((name) => bot || !OF_A_BOT.has(name));
    if (this.order.options.length === names.length) return;
    this.order.replaceChildren(...names.map((name) => new Option(ORDERS[name][0], name)));
    this.order.value = names.includes(chosen) ? chosen : "first";
  }

  #row(match, bot) {
    const link = make("a", {href: linkTo({match: match.name}), title: visible(match.name)}, formatMatch(match));
    const own = bot ? [shortNumber(match.scores?.[bot]), rankOf(match, bot)] : [];
    const best = match.scores ? leaders(match.scores) : UNFINISHED;
    const numbers = [match.turns === null ? "" : shortNumber(match.turns), ...own].map((number) => make("td", {className: NUMBER}, number));
    return make("tr", null, make("td", null, link), ...numbers, make("td", {className: BEST}, best), make("td", null, ...this.#scores(match)));
  }

  /** A bot's colour, once the contest is known. */
  #swatch(name) {
    return this.#swatches.has(name) ? [this.#swatches.get(name)()] : [];
  }

  /** Everybody's score, the best first. */
  #scores(match) {
    const {bots, scores} = match;
    const order = bots.toSorted((a, b) => scoreOf(match, b) - scoreOf(match, a));
    const named = order.slice(0, NAMED).map((name) => make("span", {className: "one"}, ...this.#swatch(name), `${visible(name)} `,
      scores ? make("strong", null, shortNumber(scores[name])) : null));
    if (bots.length > NAMED) named.push(make("span", {className: "one hint"}, `and ${bots.length - NAMED} more`));
    return scores ? named : [...named, make("span", {className: "hint"}, UNFINISHED)];
  }
}

/** Among the match's bots: whoever else scores takes no rank from them. */
function rankOf({bots, scores}, bot) {
  if (typeof scores?.[bot] !== "number") return "–";
  return 1 + bots.filter((other) => scores[other] > scores[bot]).length;
}

function leaders(scores) {
  const top = Math.max(...Object.values(scores));
  const names = Object.keys(scores).filter((name) => scores[name] === top).map((name) => isolated(visible(name)));
  const rest = names.length > LEADERS ? ` and ${names.length - LEADERS} more` : "";
  return `${names.slice(0, LEADERS).join(", ")}${rest}: ${shortNumber(top)}`;
}
