// The page of a contest, running or over: standings with intervals, matches in progress, faults, all matches.

import {bracketOf} from "./bracket.js";
import {Charts} from "./charts.js";
import {patternOf, teamColors, themeOf} from "./colors.js";
import {find, make, swatch, wrapping} from "./dom.js";
import {faultBlocks, formatTimes, whenIn} from "./faults.js";
import {goesOn, isPlayed} from "./listing.js";
import {MatchList, formatMatch} from "./matches.js";
import {visible} from "./names.js";
import {shortNumber, formatWhen} from "./numbers.js";
import {endingsOf, linkTo, listing, runNow, versusOf} from "./place.js";
import {reorder} from "./rows.js";
import {versus, versusRows, versusTable} from "./versus.js";

const LOOK_EVERY = 1000; // milliseconds between looks at a contest that is not over
const MOST_FAILURES = 5; // looks that may fail in a row
const ENDING_CHARACTERS = 300; // characters of how a match ended
const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)])/;
const SECTIONS = ["knockout", "run-standings", "over-contest", "playing", "run-faults", "versus", "bot-page", "endings"];

const within = (id, what) => find(id).querySelector(what);

export class Dashboard {
  #rows = new Map(); // the standings' rows by bot
  #columns = []; // the keys of their columns
  /** @type {import("./page-data.js").RunState} */
  #run = null;
  #bots = []; // and who else scores, in the order of their colours
  #known = "";
  /** @type {import("./page-data.js").MatchEnding[]} */
  #endings = []; // how the matches of the bot of the page ended
  #versus = {}; // who ended ahead of whom, as of `#counted`: the number of matches, and the bot
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
      find("history"), (k) => this.#open(k), (team) => ({name: visible(this.#bots[team]), pattern: patternOf(team)}),
      (k) => `after ${this.#run.history.matches[k]} of the matches`, (k) => this.#run.history.matches[k]);
    this.of = null; // the bot whose page it is
    this.list = new MatchList(find("matches"));
    this.title = find("title").textContent; // that of the page
    find("delay").addEventListener("change", () => this.#showPlaying());
    // Nothing is asked about a contest that was stopped, which somebody may have gone on with meanwhile.
    addEventListener("focus", () => { if (this.#isStopped && !find("contest").hidden) this.#look(); });
  }

  /** Show the page, or that of one bot, and keep it up to date until `hide`; at first with the matches in view, if wanted. */
  show(of = null, atMatches = false) {
    this.of = of;
    this.atMatches = atMatches;
    find("contest").hidden = false;
    find("nothing").hidden = this.isRun || this.matches.length > 0;
    this.list.show(this.matches);
    this.list.of(of);
    if (this.isRun) this.#look();
    const [first] = this.matches;
    find("title").textContent = this.isRun && first ? `${first.game} · ${first.entrantCount} bots` : first?.contest?.name || this.title;
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
    return this.#run !== null && !isPlayed(this.#run) && !goesOn(this.#run);
  }

  restyle() {
    if (this.#run) this.#showRun();
  }

  async #look() {
    clearTimeout(this.#timer);
    try {
      this.#run = await runNow();
      this.#failures = 0;
      const known = `${this.#run.done} ${JSON.stringify(this.#run.knockout)} ${this.#run.playing.map(({name}) => name)}`;
      if (known !== this.#known) {
        ({matches: this.matches} = await listing());
        this.onMatches(this.matches);
        this.#known = known;
        this.list.show(this.matches);
      }
      const {of} = this;
      const counted = `${this.#run.counted} ${of}`;
      if (counted !== this.#counted) {
        const counts = await versusOf(of);
        const endings = of === null ? [] : await endingsOf(of);
        if (of === this.of) [this.#versus, this.#endings, this.#counted] = [counts, endings, counted];
      }
      this.#showRun();
    } catch (error) {
      this.#failures += 1;
      if (this.#failures > MOST_FAILURES) {
        this.fail(error.message);
        return;
      }
    }
    const mayChange = !this.#run || goesOn(this.#run);
    if (!find("contest").hidden && mayChange) this.#timer = setTimeout(() => this.#look(), LOOK_EVERY);
  }

  #showRun() {
    const run = this.#run;
    if (find("contest").hidden) return;
    this.theme = themeOf(document.documentElement);
    const bots = [...run.bots, ...run.others];
    this.#bots = bots;
    const colors = teamColors(bots.length, this.theme.dark);
    this.swatches = new Map(bots.map((bot, place) => [bot, () => swatch(colors[place], patternOf(place))]));
    this.colors = colors;
    this.list.paint(this.swatches);
    const {title = "", text = ""} = run.about ?? {};
    find("title").textContent = this.of === null ? title || `${run.game} · ${run.bots.length} bots` : visible(this.of);
    find("about").hidden = this.of !== null || text === "";
    find("about").replaceChildren(...text.split(ADDRESS).map((part, k) => (k % 2 ? make("a", {href: part}, part) : part)));
    const now = title && this.of === null ? [] : [this.of === null ? `${run.done} of ${run.total}` : visible(this.of)];
    document.title = `${[...now, title || run.game].join(" · ")} – koth`;
    this.#showProgress();
    this.#showKnockout();
    this.#showStandings();
    this.#showPlaying();
    this.#showHistory(bots);
    this.#showFaults();
    this.#showVersus();
    this.#showBot();
    this.#showEndings();
    for (const id of ["run-standings", "over-contest", "versus"]) find(id).hidden ||= this.of !== null;
    if (this.atMatches) find("matches").scrollIntoView();
    this.atMatches = false;
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
    const {standings, columns} = this.#run;
    const line = standings.find(({bot}) => bot === of);
    find("bot-page").hidden = of === null;
    if (of === null) return;
    const facts = line ? factsOf(line.texts, columns) : [["", "no match of it is over"]];
    within("bot-page", "h2").replaceChildren(this.#swatch(of), ` ${visible(of)}`);
    const parts = facts.flatMap(([name, value]) => [make("dt", null, name), make("dd", null, value)]);
    within("bot-page", "dl").replaceChildren(...parts);
    const others = standings.map(({bot}) => bot).filter((bot) => this.#run.bots.includes(bot));
    within("bot-page", "tbody").replaceChildren(...versusRows(of, others, versus(this.#versus)));
  }

  /** What ended a bot's matches for it, each with the way to the earliest. */
  #showEndings() {
    find("endings").hidden = this.of === null || this.#endings.length === 0;
    const items = this.#endings.map(({text, match, turn}) => make("li", null, visible(text, ENDING_CHARACTERS),
      ...(match ? [" · ", make("a", {href: linkTo({match, turn})}, `first: ${this.#nameOf(match)}, turn ${shortNumber(turn)}`)] : [])));
    find("endings").querySelector("ul").replaceChildren(...items);
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
    const state = isPlayed(this.#run) ? "over" : this.#isStopped ? ended : isLive ? "running" : "between two matches";
    const begun = this.#run.started ? [formatWhen(this.#run.started)] : [];
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
    const {standings, notes, explanations, counted, done} = this.#run;
    find("run-standings").hidden = standings.length === 0 && !goesOn(this.#run);
    this.#showHeads();
    // Scores and the intervals that are drawn make the axis: a wide one would squeeze all others.
    const shown = standings.flatMap(({score, low, high, narrow}) => (narrow ? [score, low, high] : [score]));
    const [low, high] = [Math.min(0, ...shown), Math.max(1e-9, ...shown)];
    const percent = (value) => (100 * (value - low)) / (high - low);
    standings.forEach((line, k) => {
      if (!this.#rows.has(line.bot)) this.#rows.set(line.bot, standingsRow(line.bot, this.#columns));
      const row = this.#rows.get(line.bot);
      fill(row, line, percent, this.#swatch(line.bot));
      row.row.classList.toggle("apart", k > 0 && standings[k - 1].group !== line.group);
    });
    reorder(within("run-standings", "tbody"), standings.map(({bot}) => this.#rows.get(bot).row));
    const shownOf = counted < done ? [`After ${counted} matches.`] : [];
    const none = standings.length ? [] : ["No match is over yet: the table begins with the first result."];
    within("run-standings", "caption").textContent = [...none, ...shownOf, ...notes].join("\n");
    within("run-standings", "details p").textContent = explanations.join("\n");
  }

  /** The heads of the table's columns; where there are others, all rows are made again. */
  #showHeads() {
    const {standings} = this.#run;
    const isKnown = standings.some(({low}) => low !== null); // else each row would say the same of its interval
    const columns = this.#run.columns.filter(([key]) => key !== "interval" || isKnown);
    const keys = columns.map(([key]) => key);
    if (keys.join() === this.#columns.join()) return;
    this.#columns = keys;
    this.#rows.clear();
    const heads = columns.map(([key, head]) => make("th", {scope: "col", className: key}, head));
    heads.splice(keys.indexOf("score") + 1, 0, make("th", {scope: "col", className: "plot"}));
    within("run-standings", "thead tr").replaceChildren(...heads);
  }

  #showKnockout() {
    const {knockout} = this.#run;
    find("knockout").hidden = this.of !== null || !knockout?.rounds.length;
    if (knockout) within("knockout", ".scroll").replaceChildren(bracketOf(knockout, (bot) => this.#swatch(bot)));
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
      link.firstChild.textContent = this.#nameOf(name);
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
      series: {"score by matches": rows}, scanned: last, turns: last, colors: this.colors,
      focus: null, theme: this.theme,
    });
    this.charts.show(last);
  }

  #open(point) {
    const match = this.#run.history.names[point];
    if (this.matches.some(({name}) => name === match)) location.href = linkTo({match});
  }

  /** What the match is called whose replay has this name. */
  #nameOf(replay) {
    return formatMatch(this.matches.find(({name}) => name === replay) ?? {name: replay});
  }

  #swatch(bot) {
    return this.swatches.get(bot)?.() ?? swatch();
  }

  /** Faults by bot, in the standings' order, and by kind; on a bot's page its own, without its name. */
  #showFaults() {
    const {faults, standings} = this.#run;
    const shown = [this.of, this.matches.length, faults, standings.map(({bot}) => bot)];
    find("run-faults").hidden = !faults.some(({bot}) => this.of === null || bot === this.of);
    if (JSON.stringify(shown) === this.faultsShown) return;
    this.faultsShown = JSON.stringify(shown);
    const order = new Set([...standings.map(({bot}) => bot), ...faults.map(({bot}) => bot)]);
    const groups = [...order].filter((bot) => this.of === null || bot === this.of).map((bot) => ({
      head: this.of === null ? [this.#swatch(bot), make("a", {href: linkTo({bot})}, visible(bot))] : [],
      kinds: faults.filter((one) => one.bot === bot).map((one) => this.#faultsOfKind(one)),
    })).filter(({kinds}) => kinds.length > 0);
    within("run-faults", ".faults").replaceChildren(...faultBlocks(groups));
  }

  /** @param {import("./page-data.js").FaultsOfKind} group */
  #faultsOfKind({kind, count, matches, reasons, more}) {
    return {kind, times: formatTimes(count, matches), more, reasons: reasons.map(({text, match, turn}) => {
      return {text, where: make("a", {href: linkTo({match, turn})}, `${this.#nameOf(match)}, ${whenIn(turn)}`)};
    })};
  }
}

const playingItem = () => make("li", null, make("a", null, make("b"), make("span")));

/** What the standings say of a bot, as terms and their descriptions. */
const factsOf = (texts, columns) => [
  ["rank", texts.standing],
  ...columns.filter(([key]) => !["rank", "sure", "bot"].includes(key)).map(([key, head]) => [head, texts[key]]),
].filter(([, text]) => text);

function standingsRow(bot, columns) {
  const cells = Object.fromEntries(columns.map((key) => [key, make("td", {className: key})]));
  const patch = make("span");
  const link = make("a", {href: linkTo({bot})}, wrapping(visible(bot)));
  cells.bot.append(make("span", {className: "who"}, patch, link));
  const bar = make("i");
  const dot = make("b");
  const plot = make("td", {className: "plot"}, make("span", {"aria-hidden": "true"}, bar, dot));
  const row = make("tr", null, ...Object.values(cells));
  cells.score.after(plot);
  return {row, cells, patch, bar, dot};
}

function fill({row, cells, patch, bar, dot}, line, percent, ownSwatch) {
  for (const [key, cell] of Object.entries(cells)) if (key !== "bot") cell.textContent = line.texts[key];
  row.classList.toggle("faulty", Object.keys(line.faults).length > 0);
  patch.replaceChildren(ownSwatch);
  bar.style.backgroundColor = dot.style.backgroundColor = ownSwatch.style.backgroundColor;
  bar.hidden = !line.narrow;
  if (line.narrow) {
    bar.style.left = `${percent(line.low)}%`;
    bar.style.width = `${percent(line.high) - percent(line.low)}%`;
  }
  dot.style.left = `${percent(line.score)}%`;
}
