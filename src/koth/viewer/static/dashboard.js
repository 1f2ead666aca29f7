// The page of a contest, running or over: standings with intervals, games in progress, faults, all matches.

import {Charts} from "./charts.js";
import {teamColors, themeOf} from "./colors.js";
import {find, make, shortened, swatch} from "./dom.js";
import {goesOn} from "./listing.js";
import {MatchList} from "./matches.js";
import {visible} from "./names.js";
import {shortNumber, whenSaid} from "./numbers.js";
import {linkTo, listing, runNow, versusOf} from "./place.js";
import {reorder} from "./slide.js";
import {whenIn} from "./told.js";
import {versus, versusRows, versusTable} from "./versus.js";

const EVERY = 1000; // milliseconds between looks at a contest that is not over
const TOLD = 300; // characters of what went wrong
const PATIENCE = 5; // looks that may fail in a row
const SECTIONS = ["run-standings", "over-contest", "playing", "run-faults", "versus", "bot-page"];

const within = (id, what) => find(id).querySelector(what);

export class Dashboard {
  #rows = new Map(); // the standings' rows by bot
  #run = null;
  #bots = []; // and who else scores, in the order of their colours
  #known = "";
  #versus = {}; // who ended ahead of whom, as of `#counted`: so many matches, of whom
  #counted = "";
  #timer = 0;
  #failures = 0;

  /** `onMatches(matches)` is called when the list has changed; `fail(text)` when the contest can't be read. */
  constructor(matches, isRun, onMatches, fail) {
    this.matches = matches;
    this.isRun = isRun;
    this.onMatches = onMatches;
    this.fail = fail;
    this.charts = new Charts(
      find("history"), (k) => this.#open(k), (team) => visible(this.#bots[team]),
      (k) => `after ${this.#run.history.matches[k]} of the matches`, (k) => this.#run.history.matches[k]);
    this.of = null; // the bot whose page it is
    this.list = new MatchList(find("matches"));
    find("delay").addEventListener("change", () => this.#showPlaying());
    // Nothing is asked about a contest that was stopped, which somebody may have gone on with meanwhile.
    addEventListener("focus", () => { if (this.#isStopped && !find("contest").hidden) this.#look(); });
  }

  /** Show the page, or that of one bot, and keep it up to date until `hide`. */
  show(of = null) {
    this.of = of;
    find("contest").hidden = false;
    find("nothing").hidden = this.isRun || this.matches.length > 0;
    this.list.show(this.matches);
    this.list.of(of);
    if (this.isRun) this.#look();
    const [first] = this.matches;
    find("title").textContent = this.isRun && first ? `${first.game} · ${first.field} bots` : "koth";
    const count = this.matches.length;
    const words = count ? `${count} ${count === 1 ? "match" : "matches"}` : "";
    find("subtitle").textContent = this.isRun ? "reckoning the standings …" : words;
    for (const id of SECTIONS) find(id).hidden = true;
  }

  hide() {
    find("contest").hidden = true;
    clearTimeout(this.#timer);
  }

  get #isStopped() {
    return this.#run !== null && this.#run.done < this.#run.total && !goesOn(this.#run);
  }

  restyle() {
    if (this.#run) this.#showRun();
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      this.#run = await runNow();
      this.#failures = 0;
      const known = `${this.#run.done} ${this.#run.playing.map(({name}) => name)}`;
      if (known !== this.#known) {
        ({matches: this.matches} = await listing());
        this.onMatches(this.matches);
        this.#known = known;
        this.list.show(this.matches);
      }
      const {of} = this;
      const counted = `${this.#run.counted} ${of}`;
      if (counted !== this.#counted) {
        const told = await versusOf(of);
        if (of === this.of) [this.#versus, this.#counted] = [told, counted];
      }
      this.#showRun();
    } catch (error) {
      this.#failures += 1;
      if (this.#failures > PATIENCE) {
        this.fail(error.message);
        return;
      }
    }
    const mayChange = !this.#run || goesOn(this.#run);
    if (!find("contest").hidden && mayChange) this.#timer = setTimeout(() => this.#look(), EVERY);
  }

  #showRun() {
    const run = this.#run;
    if (find("contest").hidden) return;
    this.theme = themeOf(document.documentElement);
    const bots = [...run.bots, ...run.others];
    this.#bots = bots;
    const colors = teamColors(bots.length, this.theme.dark);
    this.colors = new Map(bots.map((bot, place) => [bot, colors[place]]));
    this.list.paint(this.colors);
    find("title").textContent = this.of === null ? `${run.game} · ${run.bots.length} bots` : visible(this.of);
    document.title = `${this.of === null ? `${run.done} of ${run.total}` : visible(this.of)} · ${run.game} – koth`;
    this.#showProgress();
    this.#showStandings();
    this.#showPlaying();
    this.#showHistory(bots);
    this.#showFaults();
    this.#showVersus();
    this.#showBot();
    for (const id of ["run-standings", "over-contest", "versus"]) find(id).hidden ||= this.of !== null;
  }

  /** Who ended ahead of whom, of those in the standings' order. */
  #showVersus() {
    const order = this.#run.standings.map(({bot}) => bot).filter((bot) => this.#run.bots.includes(bot));
    find("versus").hidden = order.length < 2 || !order.some((bot) => this.#versus[bot]);
    const known = `${this.#counted} ${order.join()}`;
    if (known === this.versusShown) return;
    this.versusShown = known;
    within("versus", ".scroll").replaceChildren(versusTable(order, versus(this.#versus)));
  }

  /** One bot's page: how it stands, against whom, what went wrong. */
  #showBot() {
    const {of} = this;
    const line = this.#run.standings.find(({bot}) => bot === of);
    find("bot-page").hidden = of === null;
    if (of === null) return;
    const faults = Object.entries(line?.faults ?? {}).map(([kind, count]) => `${count} ${kind}`).join(", ");
    const facts = line ? [
      ["rank", `${line.place ?? line.rank} of ${this.#run.standings.length}`], ["score", shortNumber(line.score)],
      ["interval", intervalText(line)], ["games", line.games],
      ["faults", faults || "none"],
    ] : [["", "no match of it is over"]];
    within("bot-page", "h2").replaceChildren(swatch(this.colors.get(of)), ` ${visible(of)}`);
    const parts = facts.flatMap(([name, value]) => [make("dt", null, name), make("dd", null, value)]);
    within("bot-page", "dl").replaceChildren(...parts);
    const others = this.#run.standings.map(({bot}) => bot).filter((bot) => this.#run.bots.includes(bot));
    within("bot-page", "tbody").replaceChildren(...versusRows(of, others, versus(this.#versus)));
  }

  #showProgress() {
    const {done, total, settled, playing} = this.#run;
    const isLive = playing.some(({still}) => !still);
    const status = find("status");
    if (status.className !== "error") { // that stays
      status.className = isLive ? "live" : "";
      status.textContent = isLive ? "live" : "";
    }
    const ended = settled ? "settled" : "stopped";
    const state = done >= total ? "over" : this.#isStopped ? ended : isLive ? "running" : "between two matches";
    const begun = this.#run.started ? [whenSaid(this.#run.started)] : [];
    const rules = `${this.#run.ruleset} rules`;
    const words = [`${done} of ${total} matches`, state, ...begun, rules, ...this.#name()];
    find("subtitle").textContent = words.join(" · ");
    find("progress").max = total;
    find("progress").value = done;
    find("progress").hidden = done >= total;
  }

  /** What the contest is called. */
  #name() {
    const name = this.matches[0]?.contest?.name;
    return name ? [visible(name)] : [];
  }

  #showStandings() {
    const {standings, captions, counted, done} = this.#run;
    find("run-standings").hidden = standings.length === 0;
    const low = Math.min(0, ...standings.map((line) => line.low ?? line.score));
    const high = Math.max(...standings.map((line) => line.high ?? line.score), low + 1e-9);
    const place = (value) => (100 * (value - low)) / (high - low);
    for (const line of standings) {
      if (!this.#rows.has(line.bot)) this.#rows.set(line.bot, standingsRow(line.bot));
      fill(this.#rows.get(line.bot), line, place, this.colors.get(line.bot));
    }
    reorder(within("run-standings", "tbody"), standings.map(({bot}) => this.#rows.get(bot).row));
    within("run-standings", "caption").textContent = (counted < done ? `After ${counted} matches. ` : "")
      + captions.join(" ");
  }

  #showPlaying() {
    const {playing} = this.#run;
    find("playing").hidden = playing.length === 0;
    const delay = find("delay").value;
    const list = within("playing", "ul");
    const items = playing.map(({name, turn, still}, k) => {
      const item = list.children[k] ?? playingItem();
      const link = item.querySelector("a");
      link.href = linkTo({match: name, live: delay});
      link.firstChild.textContent = visible(name);
      link.lastChild.textContent = `turn ${turn.toLocaleString("en")}${still ? ", standing still" : ""}`;
      return item;
    });
    list.replaceChildren(...items);
  }

  #showHistory(bots) {
    const {matches, scores} = this.#run.history;
    find("over-contest").hidden = matches.length < 2;
    if (matches.length < 2) return;
    const rows = matches.map((_, k) => bots.map((bot) => scores[bot]?.[k] ?? null));
    const last = matches.length - 1;
    this.charts.update({
      series: {"score after so many matches": rows}, scanned: last, turns: last, colors: bots.map((bot) => this.colors.get(bot)),
      focus: null, theme: this.theme,
    });
    this.charts.show(last);
  }

  #open(point) {
    const number = this.#run.history.matches[point];
    const over = this.matches.filter(({turns}) => turns !== null);
    const match = over[number - 1];
    if (match) location.href = linkTo({match: match.name});
  }

  #showFaults() {
    const faults = this.#run.faults.filter(({bot}) => this.of === null || bot === this.of);
    find("run-faults").hidden = faults.length === 0;
    const text = JSON.stringify(faults);
    if (text === this.faultsShown) return;
    this.faultsShown = text;
    const rows = faults.map(({match, bot, kind, count, turn, text: words}) => {
      // Asked after that many turns, so what came of it is to be seen a turn later.
      const link = make("a", {href: linkTo({match, turn: turn + 1})}, `${match}, ${whenIn(turn)}`);
      return tableRow([visible(bot), count > 1 ? `${kind}, ${count} times` : kind, link, visible(words, TOLD)]);
    });
    within("run-faults", "tbody").replaceChildren(...rows);
  }
}

const tableRow = (contents) => make("tr", null, ...contents.map((content) => make("td", null, content)));

const playingItem = () => make("li", null, make("a", null, make("b"), make("span")));

function standingsRow(bot) {
  const patch = swatch();
  const link = make("a", {title: visible(bot), href: linkTo({bot})}, shortened(visible(bot)));
  const name = make("span", {className: "bot"}, patch, link);
  const bar = make("i");
  const dot = make("b");
  const plot = make("span", {className: "interval", "aria-hidden": "true"}, bar, dot);
  const row = tableRow(["", name, "", plot, "", "", ""]);
  row.cells[1].className = "name";
  row.cells[3].className = "plot";
  return {row, patch, bar, dot};
}

function fill({row, patch, bar, dot}, line, place, color) {
  const texts = {
    0: line.place ?? line.rank, 2: shortNumber(line.score), 4: intervalText(line), 5: line.games,
    6: Object.entries(line.faults).map(([kind, count]) => `${count} ${kind}`).join(", ") || "none",
  };
  for (const [k, text] of Object.entries(texts)) row.cells[k].textContent = text;
  row.classList.toggle("faulty", Object.keys(line.faults).length > 0);
  patch.style.background = bar.style.background = dot.style.background = color;
  // An interval that is open on one side reaches to the edge; without one there is the dot alone.
  const known = line.low !== null || line.high !== null;
  const left = line.low === null ? 0 : place(line.low);
  const right = line.high === null ? 100 : place(line.high);
  bar.style.left = `${left}%`;
  bar.style.width = known ? `${Math.max(right - left, 0)}%` : "0";
  dot.style.left = `${place(line.score)}%`;
}

function intervalText({low, high, note}) {
  if (low !== null && high !== null) return `${shortNumber(low)} to ${shortNumber(high)}`;
  if (low !== null) return `${shortNumber(low)} or more`;
  return high === null ? note : `${shortNumber(high)} or less`;
}
