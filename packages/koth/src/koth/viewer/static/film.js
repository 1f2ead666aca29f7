// A page that films are taken of: the board and the standings of the turn that is asked for, nothing else.

import {patternOf, placesOf, teamColors, themeOf} from "./colors.js";
import {find} from "./dom.js";
import {visible} from "./names.js";
import {listing, pictureOf} from "./place.js";
import {Source} from "./source.js";
import {Stage} from "./stage.js";
import {Standings} from "./standings.js";


class Film {
  #stage;
  #standings;

  constructor(match, source, picture) {
    const {header} = source;
    this.source = source;
    this.picture = picture;
    const others = (picture.others?.(header) ?? []).map((name) => ({name: visible(name), isBot: false}));
    const places = placesOf(match, header.bots.length + others.length);
    const bots = header.bots.map(({name}, seat) => ({name, isBot: true, pattern: patternOf(places[seat])}));
    const teams = [...bots, ...others.map((other) => ({...other, pattern: 0}))];
    this.theme = themeOf(document.documentElement);
    this.colors = teamColors(places, this.theme.dark, null, header.bots.length);
    this.patterns = teams.map(({pattern}) => pattern);
    this.#stage = new Stage(find("board"), picture);
    this.#standings = new Standings(find("standings"), teams, () => {}, null);
    find("title").textContent = `${header.game} · ${header.bots.length} bots`;
  }

  /** Show a moment: 3.25 is a quarter of the way from turn 3 to turn 4. */
  async show(time) {
    const {source} = this;
    const turn = Math.ceil(time - 1e-9);
    const wanted = [turn, turn - 1];
    while (wanted.some((one) => one >= 0 && !source.at(one))) {
      source.want([...wanted, turn + 1, turn + 2, turn + 3], turn);
      await new Promise((later) => setTimeout(later, 5));
    }
    const previous = source.at(turn - 1)?.frame ?? null;
    this.#paint(source.at(turn).frame, previous, 1 - (turn - time), `turn ${turn} of ${source.turns}`);
  }

  /** Show a frame as a replay's key line has it, of this match and of any turn: what learning draws. */
  showFrame({turn, values, arrays}) {
    const numbers = Object.entries(arrays).map(([name, list]) => [name, Int32Array.from(list)]);
    this.#paint({...values, ...Object.fromEntries(numbers), turn}, null, 1, `turn ${turn}`);
  }

  #paint(frame, previous, progress, turn) {
    const {picture, theme, colors, patterns, source: {header}} = this;
    this.#stage.draw({match: header, frame, previous, progress, colors, patterns, theme, focus: null, look: "film"});
    this.#standings.show(picture.series(frame, header), colors, null, null);
    find("turn").textContent = turn;
    find("caption").textContent = visible(picture.caption?.(frame, header, null) ?? "");
  }
}

async function start(theme) {
  document.documentElement.dataset.theme = theme;
  const {matches} = await listing();
  const source = new Source(matches[0]);
  await new Promise((go, stop) => {
    source.onChange = (what) => { if (what === "turns" && source.turns >= 0) go(); };
    source.onError = (text) => stop(new Error(text));
  });
  const film = new Film(matches[0], source, await pictureOf(source.header.game));
  await new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later))); // the canvas has its size
  globalThis.show = (time) => film.show(time);
  globalThis.showFrame = (line) => film.showFrame(line);
  return source.turns;
}

globalThis.start = start;
