// Panels around the board: the turn, a unit's details, events, moments, the legend, the match's title.

import {find, make, makeButton, swatch} from "./dom.js";
import {formatPlace} from "./ends.js";
import {formatEvent, known} from "./events.js";
import {faultBlocks, formatTimes, whenIn} from "./faults.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";

const SAID = 2600; // milliseconds
const DEEDS = 14; // of a turn
const LISTED = 400; // moments in the list
const ANSWERS = 12; // different ones of a bot in a turn

const HAS_TITLE = document.title !== "koth"; // as pages of a hill's site have

export class Panels {
  #moments = "";
  #turns = []; // of the moments in the list
  #last = -1; // the moment that is marked
  #pointed = "";
  #followed = "";
  #turn = "";
  #faults = "";

  /** `match` as it is listed; `on`: {jump(turn), letGo()}. */
  constructor(header, picture, match, teams, on) {
    this.header = header;
    this.picture = picture;
    this.teams = teams;
    this.jump = on.jump;
    this.letGo = on.letGo;
    find("subtitle").textContent = `${formatPlace(match)} · ${header.ruleset} rules`;
    find("subtitle").title = visible(match.name);
    if (HAS_TITLE) return;
    find("title").textContent = `${header.game} · ${header.bots.length} bots`;
    document.title = `${header.game} – koth`;
  }

  showStatus({turns, result, grows}) {
    const status = find("status");
    if (status.className === "error") return;
    status.className = grows && !result ? "live" : "";
    if (turns < 0) status.textContent = "reading the replay …";
    else if (result) status.textContent = `${shortNumber(turns)} turn${turns === 1 ? "" : "s"}`;
    else status.textContent = grows ? "live" : "no result: still playing, or cut short";
  }

  /** Called for every frame: unchanged text is left alone, or the page would compute its layout again. */
  showTurn({turn, delay, playing, auto, speed}, {turns, result}, wanted) {
    const shown = [turn, turns, result !== null, delay !== null, wanted, playing, auto || speed].join();
    if (shown === this.#turn) return;
    this.#turn = shown;
    find("turn").querySelector("b").textContent = shortNumber(turn);
    find("turn").querySelector("span").textContent = shortNumber(Math.max(turns, 0));
    this.#showLive(result === null && turns >= 0, delay !== null, wanted);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.#showSpeed(auto ? "auto" : String(speed));
  }

  #showLive(isLive, isFollowed, late) {
    const live = find("live");
    live.hidden = !isLive;
    live.setAttribute("aria-pressed", String(isFollowed));
    live.replaceChildren(...(late > 0 ? [`live, ${late} `, make("span", null, "turns "), "late"] : ["live"]));
  }

  #showSpeed(wanted) {
    const speed = find("speed");
    if (![...speed.options].some(({value}) => value === wanted)) speed.append(new Option(wanted, wanted));
    speed.value = wanted;
  }

  /** A word that goes away by itself. */
  say(words) {
    const said = find("said");
    said.textContent = words;
    said.hidden = false;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => { said.hidden = true; }, SAID);
  }

  /** What happened in the turn; to one bot or by it, if there is a `team`. */
  #wordsOf(events, team) {
    const counts = new Map();
    for (const event of known(events, team)) {
      const words = formatEvent(event, this.teams);
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
    const lines = [...counts].map(([words, count]) => (count > 1 ? `${words}, ${count} times` : words));
    const rest = lines.length - DEEDS;
    return rest > 0 ? [...lines.slice(0, DEEDS), `and ${rest} more`] : lines;
  }

  /** What the frame comes to, as it is known to the bot through whose `eyes` it is seen (null: all of it). */
  showCaption(frame, eyes) {
    const seen = eyes === null ? [] : [`the board as ${this.teams[eyes].name} sees it`];
    const caption = this.picture.caption?.(frame, this.header, eyes) ?? "";
    find("caption").textContent = visible([...seen, caption].filter(Boolean).join(" · "), 200);
  }

  /**
   * Events and faults of the turn, who is `gone` since then, and what bots noted or wrote to stderr in it: [{bot, text,
   * verb}].
   */
  showEvents({turn, events, faults}, gone, written, team) {
    this.#markMoment(turn);
    const lines = this.#faultLines(faults, gone);
    const deeds = this.#wordsOf(events, team);
    find("deeds").hidden = deeds.length === 0;
    find("deeds").querySelector("ul").replaceChildren(...deeds.map((line) => make("li", null, line)));
    const items = lines.map((line) => make("li", null, line));
    for (const {bot, text, verb} of written) {
      items.push(make("li", null, `${bot} ${verb}`, make("pre", null, text)));
    }
    find("events").hidden = items.length === 0;
    find("events").querySelector("ul").replaceChildren(...items);
  }

  /** A line for each bot that did something wrong, or whose process ended: "crashy: crash, out of the match". */
  #faultLines(faults, gone) {
    const kinds = new Map();
    for (const {seat, kind} of faults.filter((fault) => fault.counts)) {
      if (!kinds.has(seat)) kinds.set(seat, new Map());
      kinds.get(seat).set(kind, (kinds.get(seat).get(kind) ?? 0) + 1);
    }
    const out = new Set(gone);
    return [...new Set([...kinds.keys(), ...out])].map((seat) => {
      const parts = [...(kinds.get(seat) ?? [])].map(([kind, count]) => (count > 1 ? `${kind}, ${count} units` : kind));
      const words = [...parts, ...(out.has(seat) ? ["out of the match"] : [])].join(", ");
      return `${this.header.bots[seat]?.name ?? `seat ${seat}`}: ${words}`;
    });
  }

  /** What bots answered in the turn, those with several units in numbers. */
  showAnswers({list}) {
    const items = list.map(({seat, words}) => {
      const parts = words.slice(0, ANSWERS).map(([text, count]) => (count > 1 ? `${count} × ${text}` : text));
      if (words.length > ANSWERS) parts.push(`${words.length - ANSWERS} others`);
      const item = make("li");
      item.append(make("b", null, this.header.bots[seat]?.name ?? `seat ${seat}`), ` ${visible(parts.join("; "), 300)}`);
      return item;
    });
    find("answers").querySelector("ul").replaceChildren(...(items.length ? items : [make("li", null, "nobody was asked")]));
  }

  /**
   * All faults up to now, by bot and kind: `found` in the replay {seat, kind, count, turn}, and those known beside it, {bot,
   * kind, count, turn, text}, some of which no question of a turn has.
   */
  showFaults(found, reasons, colors) {
    const key = JSON.stringify([found, reasons, colors]);
    if (key === this.#faults) return;
    this.#faults = key;
    find("faults").hidden = found.length + reasons.length === 0;
    const groups = this.header.bots.map(({name, given}, seat) => {
      const own = reasons.filter(({bot}) => bot === given);
      const more = found.filter((one) => one.seat === seat && !own.some(({kind}) => kind === one.kind));
      const kinds = [...own, ...more].sort((a, b) => a.turn - b.turn);
      return {head: [swatch(colors[seat], this.teams[seat].pattern), make("span", null, name)], kinds: kinds.map((one) => ({
        kind: one.kind, times: formatTimes(one.count),
        reasons: [{text: one.text, where: makeButton(whenIn(one.turn), () => this.jump(one.turn))}],
      }))};
    }).filter(({kinds}) => kinds.length > 0);
    find("faults").querySelector("ul").replaceChildren(...faultBlocks(groups));
  }

  /** `moments`: those that `eyes` know of. */
  showMoments(moments, colors, eyes) {
    const key = `${moments.length} ${eyes}`;
    if (this.#moments === key) return;
    this.#moments = key;
    const listed = moments.length <= LISTED ? moments : moments.filter(({weight}) => weight > 1).slice(0, LISTED);
    this.#turns = listed.map(({turn}) => turn);
    this.#last = -1;
    const items = listed.map((moment) => {
      const {turn, mark, team} = moment;
      const color = colors[team] ?? "";
      const parts = [
        make("span", {className: "at"}, shortNumber(turn)),
        make("span", {style: {color}, "aria-hidden": "true"}, visible(mark)), // the words say it
        make("span", null, formatEvent(moment, this.teams)),
      ];
      return make("li", null, makeButton(parts, () => this.jump(turn)));
    });
    this.#showSigns(listed);
    find("moments").hidden = items.length === 0;
    find("moments").querySelector("ol").replaceChildren(...items);
  }

  /** Mark the last moment up to this turn, and have it in the list's sight. */
  #markMoment(now) {
    const last = this.#turns.findLastIndex((turn) => turn <= now);
    if (last === this.#last) return;
    const list = find("moments").querySelector("ol");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = list.children[last];
    item?.setAttribute("aria-current", "true");
    list.scrollTop = item ? item.offsetTop - list.offsetTop - (list.clientHeight - item.offsetHeight) / 2 : 0;
    this.#last = last;
  }

  /** What the signs on the timeline stand for: each with an example, without the names in it. */
  #showSigns(moments) {
    const signs = new Map(moments.toReversed().map(({mark, text}) => [mark, `… ${text.replace("{by}", "…")}`]));
    find("signs").hidden = signs.size === 0;
    find("signs").querySelector("ul").replaceChildren(...[...signs].reverse().map(([mark, words]) => (
      make("li", null, make("span", {className: "sign"}, visible(mark)), make("span", null, visible(words))))));
  }

  showLegend(frame, colors, theme) {
    const entries = this.picture.legend?.(this.header, frame) ?? [];
    find("legend").hidden = entries.length === 0;
    const items = entries.map(({label, paint}) => {
      const canvas = make("canvas");
      canvas.width = canvas.height = 24 * Math.ceil(devicePixelRatio);
      const ctx = canvas.getContext("2d");
      ctx.scale(canvas.width / 1.25, canvas.width / 1.25);
      ctx.translate(0.125, 0.125);
      paint(ctx, {colors, theme});
      return make("li", null, canvas, make("span", null, label));
    });
    find("legend").querySelector("ul").replaceChildren(...items);
  }

  /** The details of who is pointed at, beside the pointer. */
  showPointed(id, frame, pointer) {
    const about = id === null ? null : this.picture.about?.(frame, id, this.header);
    this.#tip(about, pointer, "click to follow");
  }

  /** The square that is pointed at, and what lies there. */
  showSquare(about, pointer) {
    this.#tip(about, pointer, "");
  }

  #tip(about, pointer, hint) {
    const tip = find("tip");
    tip.hidden = !about;
    if (!about) return;
    const text = JSON.stringify([about, hint]);
    if (text !== this.#pointed) {
      this.#pointed = text;
      tip.replaceChildren(...details(about), make("span", {className: "hint"}, hint));
    }
    const box = find("stage").getBoundingClientRect();
    const x = pointer.clientX - box.left;
    const y = pointer.clientY - box.top;
    const left = x + 16 + tip.offsetWidth > box.width ? x - tip.offsetWidth - 12 : x + 16;
    const top = Math.min(y + 12, box.height - tip.offsetHeight);
    tip.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(top, 0)}px)`;
  }

  /** The details of who is followed, in the corner. */
  showFollowed(id, frame) {
    const card = find("card");
    const about = id === null ? null : this.picture.about?.(frame, id, this.header);
    card.hidden = !about;
    const text = about ? JSON.stringify(about) : "";
    if (text === this.#followed || !about) {
      this.#followed = text;
      return;
    }
    this.#followed = text;
    let button = card.querySelector("button");
    if (!button) {
      button = makeButton("let go", () => this.letGo());
    }
    card.replaceChildren(...details(about), button);
  }
}

function details({title, rows}) {
  const parts = rows.flatMap(([name, value]) => [make("dt", null, visible(name)), make("dd", null, visible(value))]);
  return [make("b", null, visible(title)), make("dl", null, ...parts)];
}
