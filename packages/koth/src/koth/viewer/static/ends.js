// A match's beginning and end: who plays what, where and when; who won and why, and what there is to do next.

import {make, makeButton, swatch, wrapping} from "./dom.js";
import {formatEvent} from "./events.js";
import {shortNumber, formatWhen} from "./numbers.js";
import {formatMatch} from "./matches.js";
import {isolated, visible} from "./names.js";
import {rankTeams} from "./standings.js";

const DECISIVE = 5; // moments that are named at the end
const NAMED = 12; // bots that are named at the beginning, and in the result

export class Ends {
  /** `root` lies over the board; `acts`: {play, jump(turn), next, hasNext(), share, picture}. */
  constructor(root, header, teams, place, acts) {
    this.root = root;
    this.header = header;
    this.teams = teams;
    this.place = place;
    this.acts = acts;
    this.shown = "";
  }

  hide() {
    this.root.hidden = true;
    this.shown = "";
  }

  /** Whether the end is what is shown. */
  get isEnd() {
    return !this.root.hidden && this.shown !== "begin";
  }

  /** Who plays what, where and when. */
  begin(colors) {
    if (this.shown === "begin") return;
    const {header, place} = this;
    const bots = header.bots.slice(0, NAMED).map(({name}, seat) => make("li", null, swatch(colors[seat], this.teams[seat].pattern), make("span", null, name)));
    const rest = header.bots.length - bots.length;
    this.#show("begin",
      make("h2", null, `${header.game}, ${header.ruleset} rules`),
      make("p", {className: "hint"}, formatPlace(place)),
      make("ul", null, ...bots, rest > 0 ? make("li", null, `and ${rest} more`) : null),
      make("div", {className: "acts"}, makeButton("Play", this.acts.play, {className: "first"})));
  }

  /**
   * Show who won, by how much, and the moments that decided it (`moments` is null until all are known). The last
   * argument decides the order of bots with equal scores: all `scores` by turn, how many units are `alive`, and `until` when.
   */
  end(result, moments, colors, {scores, alive, until}) {
    const hasNext = this.acts.hasNext();
    const key = `end ${moments?.length} ${colors.join()} ${hasNext}`;
    if (this.shown === key) return;
    const {header, acts} = this;
    const teams = this.teams.filter(({isBot}) => isBot);
    const scored = teams.map(({name}, team) => result.scores[header.bots[team]?.given ?? name] ?? null);
    const values = {score: scored, ...(alive && {alive})};
    const order = rankTeams(values, teams.length, until, true).filter(({team}) => scored[team] !== null);
    const winners = order.filter(({rank}) => rank === 1).map(({team}) => team);
    const rows = order.slice(0, NAMED).map(({team, rank}) => make("tr", null,
      make("td", {className: "rank"}, rank), make("td", {className: "name"}, swatch(colors[team], teams[team].pattern), " ", wrapping(teams[team].name)),
      make("td", null, shortNumber(scored[team])), make("td", {className: "hint"}, faultsOf(result, header, team))));
    const rest = order.length - rows.length;
    if (rest > 0) rows.push(make("tr", null, make("td"), make("td", {className: "name hint", colSpan: 3}, `and ${rest} more`)));
    const isBots = ({team = 0}) => team < teams.length;
    const decisive = decisiveOf((moments ?? []).filter(isBots));
    const since = moments && winners.length === 1 ? findLeadStart(winners[0], scores ?? [], teams.length) : 0;
    const last = result.turns;
    this.#show(key,
      make("h2", null, headline(winners, teams, scored)),
      make("p", {className: "hint"}, `after ${shortNumber(last)} turns`
        + (since > 0 && since < last ? `, ahead of all from turn ${shortNumber(since)} on` : "")),
      make("table", null, make("tbody", null, ...rows)),
      decisive.length ? make("h3", null, isDraw(winners, teams) ? "What happened" : "What decided it") : null,
      make("ol", null, ...decisive.map((event) => make("li", null,
        makeButton(`${shortNumber(event.turn)} ${visible(event.mark)} ${formatEvent(event, this.teams)}`,
          () => acts.jump(Math.max(event.turn - 2, 0)))))),
      make("div", {className: "acts"},
        hasNext ? makeButton("Next match", acts.next, {className: "first"}) : null,
        makeButton("Again", acts.play), makeButton("Share", acts.share), makeButton("Picture", acts.picture),
        makeButton("×", () => { this.root.hidden = true; }, {"aria-label": "Close"})));
  }

  #show(key, ...parts) {
    this.shown = key;
    this.root.replaceChildren(...parts.filter((part) => part !== null));
    this.root.hidden = false;
  }
}

/** Those that weigh most, the later ones of the same weight, in their order. */
const decisiveOf = (moments) => moments.map((moment, at) => ({moment, at}))
  .sort((a, b) => b.moment.weight - a.moment.weight || b.at - a.at).slice(0, DECISIVE)
  .sort((a, b) => a.at - b.at).map(({moment}) => moment);

/** The turn from which on this bot had more than each of the others, to the end; 0 if it always had. */
function findLeadStart(winner, rows, bots) {
  const isAhead = (row) => row.every((score, team) => team === winner || team >= bots || score < row[winner]);
  return rows.findLastIndex((row) => !isAhead(row)) + 1;
}

/** Which match of which contest, and when that was. */
export function formatPlace(match) {
  const {name, started} = match.contest ?? {};
  return [formatMatch(match, true), ...(name ? [visible(name)] : []), ...(started ? [formatWhen(started)] : [])].join(" · ");
}

/** Whether nobody is ahead of anybody. */
const isDraw = (winners, teams) => winners.length === teams.length && teams.length > 1;

function headline(winners, teams, scores) {
  if (winners.length === 0) return "No result";
  if (isDraw(winners, teams)) return "A draw of all";
  const names = winners.slice(0, 3).map((team) => isolated(teams[team].name)).join(", ");
  const rest = winners.length > 3 ? ` and ${winners.length - 3} more` : "";
  const score = shortNumber(scores[winners[0]]);
  return winners.length === 1 ? `${names} wins with ${score}` : `${names}${rest} share the win with ${score}`;
}

function faultsOf({faults = {}}, {bots}, team) {
  const own = faults[bots[team]?.given] ?? faults[bots[team]?.name] ?? {};
  const words = Object.entries(own).map(([kind, count]) => `${count} ${kind}`);
  return words.length ? `faults: ${words.join(", ")}` : "";
}
