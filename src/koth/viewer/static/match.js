// Watching one match: ties the frames, the clock, the board and the panels together.

import {Charts} from "./charts.js";
import {placesOf, teamColors, themeOf} from "./colors.js";
import {find} from "./dom.js";
import {visible} from "./names.js";
import {Panels} from "./panels.js";
import {pictureOf, toldOf} from "./place.js";
import {Playback, SPEEDS} from "./playback.js";
import {Pointer} from "./pointer.js";
import {Source} from "./source.js";
import {Stage} from "./stage.js";
import {Standings} from "./standings.js";
import {Timeline} from "./timeline.js";
import {Told} from "./told.js";

const CLOSE_UP = 45; // squares in view when somebody is followed
const PANEL_EVERY = 90; // milliseconds between changes of the panels while playing
const ADDRESS_EVERY = 600;
const SLOW = 32; // milliseconds between frames from which on a fine screen is drawn coarsely while it plays

export class MatchView {
  #closed = false;
  #delay = 0; // turns that a live match is watched late
  #focus = null; // the bot in focus
  #eyes = null; // the bot through whose eyes we look
  #followed = null; // actor ids
  #pointed = null;
  #drawn = null; // {record, actors, fog ...} of the frame on the board
  #stale = true;
  #panelsAt = 0;
  #addressAt = 0;

  constructor(match, wanted, writeAddress, fail, replaced) {
    document.body.append(find("watching").content.cloneNode(true));
    this.match = match;
    this.writeAddress = writeAddress;
    this.fail = fail;
    this.wanted = wanted;
    this.source = new Source(match);
    this.source.onChange = (what) => this.#learn(what);
    this.source.onError = fail;
    this.source.onReplaced = replaced;
    this.playback = new Playback(this.source);
  }

  close() {
    this.#closed = true;
    this.source.close();
    cancelAnimationFrame(this.ticking);
    find("match").remove();
  }

  async #learn(what) {
    if (what === "header") await this.#open().catch((error) => this.fail(error.message));
    if (!this.panels) return;
    if (what === "answers") this.panels.showAnswers(this.source.answers);
    if (what === "memory" && this.#drawn) this.#drawn.known = null;
    if (what === "turns") {
      if (this.wanted && this.source.turns >= 0) this.restore(this.wanted);
      this.panels.showStatus(this.source);
      if (this.match.told && this.source.result && !this.#asked) this.#askMore();
    }
    if (what === "series" || what === "turns") this.#overviewStale = true;
    this.#stale = true;
  }

  #asked = false; // for what is known beside the replay

  async #askMore() {
    this.#asked = true;
    const told = await toldOf(this.match).catch((error) => this.fail(error.message));
    if (this.#closed || !told) return;
    this.told.show(told);
    this.#stale = true;
  }

  #overviewStale = true;

  async #open() {
    const {header} = this.source;
    const picture = await pictureOf(header.game);
    if (this.#closed) return;
    this.picture = picture;
    const others = picture.others?.(header) ?? [];
    this.teams = [
      ...header.bots.map(({name}) => ({name, isBot: true})),
      ...others.map((name) => ({name: visible(name), isBot: false})),
    ];
    this.places = placesOf(this.match, this.teams.length);
    this.stage = new Stage(find("board"), picture);
    this.stage.onResize = () => { this.#stale = true; };
    this.timeline = new Timeline(find("timeline"), (turn) => this.jump(turn));
    this.charts = new Charts(
      find("charts"), (turn) => this.jump(turn), (team) => this.teams[team].name, (turn) => `turn ${turn}`);
    this.standings = new Standings(
      find("standings"), this.teams, (team) => this.setFocus(team),
      picture.sees ? (team) => this.setEyes(team) : null);
    this.panels = new Panels(header, picture, (turn) => this.jump(turn), () => this.letGo());
    this.told = new Told(find("written"), (turn) => this.jump(turn));
    new Pointer(this.stage, {
      hover: (x, y) => this.#point(x, y),
      leave: () => this.#point(null),
      tap: (x, y) => this.#tap(x, y),
      change: (dragged) => this.#moved(dragged),
    });
    this.#wireButtons();
    this.restyle();
    this.#learn("turns");
    this.ticking = requestAnimationFrame((now) => this.#tick(now));
  }

  #wireButtons() {
    const actions = {
      start: () => this.jump(0), before: () => this.step(-1), play: () => this.toggle(),
      after: () => this.step(1), live: () => this.live(), end: () => this.jump(Infinity),
    };
    for (const [id, action] of Object.entries(actions)) find(id).addEventListener("click", action);
    find("answers").addEventListener("toggle", () => { this.#stale = true; });
    const speeds = SPEEDS.map((speed) => new Option(String(speed), String(speed)));
    find("speed").replaceChildren(...speeds);
    find("speed").addEventListener("change", () => {
      this.playback.setSpeed(Number(find("speed").value));
      this.#stale = true;
    });
  }

  /** Go where the address says. */
  restore({turn, speed, eyes, bot, live}) {
    this.wanted = null;
    if (Number(speed) > 0) this.playback.setSpeed(Number(speed));
    this.playback.playing = false;
    if (Number.isFinite(Number(turn))) this.playback.seek(Number(turn));
    if (live !== undefined && !this.source.result) this.playback.follow(Math.max(Number(live), 0) || 0);
    this.#delay = Math.max(Number(live), 0) || 0;
    const isBot = (word) => word !== undefined && this.source.header.bots[Number(word)] !== undefined;
    this.#focus = isBot(bot) ? Number(bot) : null;
    this.#eyes = isBot(eyes) && this.picture.sees ? Number(eyes) : null;
    this.restyle();
  }

  restyle() {
    if (!this.picture) return;
    if (this.picture.ground && (this.source.memory?.team ?? null) !== this.#eyes) this.source.remember(this.#eyes);
    this.theme = {...themeOf(document.documentElement)};
    this.colors = teamColors(this.places, this.theme.dark, this.#focus);
    this.look = `${this.theme.dark} ${this.#focus}`;
    this.panels.showLegend(teamColors(this.places, this.theme.dark), this.theme);
    this.#overviewStale = true;
    this.#stale = true;
  }

  // What keys and buttons do.

  toggle() { this.playback.toggle(); this.#stale = true; }
  live() {
    if (!this.source.result) this.playback.follow(this.playback.delay === null ? this.#delay : null);
    this.#stale = true;
  }
  step(turns) { this.playback.step(turns); this.#stale = true; }
  jump(turn) { this.playback.seek(turn); this.#stale = true; }
  faster(steps) { this.playback.faster(steps); this.#stale = true; }
  zoom(factor) { this.stage.zoomBy(factor); this.#moved(false); }
  whole() { this.stage.reset(); this.#moved(false); }

  moment(direction) {
    const {turn} = this.playback;
    const {moments} = this.source;
    const next = direction > 0
      ? moments.find((moment) => moment.turn > turn)
      : moments.findLast((moment) => moment.turn < turn);
    if (next) this.jump(next.turn);
  }

  nextBot(by) {
    const count = this.teams.length;
    this.setFocus(((this.#focus ?? (by > 0 ? -1 : count)) + by + count) % count);
  }

  setFocus(team) {
    this.#focus = this.#focus === team && this.#eyes === null ? null : team;
    if (this.#eyes !== null) this.#eyes = this.teams[team]?.isBot ? team : null;
    this.restyle();
  }

  eyes() {
    if (this.picture.sees) this.setEyes(this.#eyes === null ? (this.#focus ?? 0) : this.#eyes);
  }

  setEyes(team) {
    this.#eyes = this.#eyes === team || !this.teams[team].isBot ? null : team;
    this.#focus = null;
    this.restyle();
  }

  follow(id = this.#pointed) {
    this.#followed = id;
    if (id !== null) this.stage.zoomTo(CLOSE_UP);
    this.#moved(false);
  }

  letGo() {
    this.#focus = null;
    this.#eyes = null;
    this.#followed = null;
    this.stage.reset();
    this.restyle();
    this.#moved(false);
  }

  // The pointer.

  #moved(dragged) {
    if (dragged && this.stage.zoom > 1) this.#followed = null;
    this.stage.canvas.classList.toggle("zoomed", this.stage.zoom > 1);
    this.#stale = true;
  }

  #point(clientX, clientY) {
    this.pointer = clientX === null ? null : {clientX, clientY};
    this.#stale = true;
  }

  #tap(clientX, clientY) {
    const id = this.#actorAt(clientX, clientY);
    this.follow(id === this.#followed ? null : id);
  }

  #actorAt(clientX, clientY) {
    const point = this.stage.pointAt(clientX, clientY);
    if (!point || !this.#drawn) return null;
    const reach = Math.max(0.5, 9 / this.stage.placeOf(point).size);
    let best = null;
    let nearest = reach * reach * 2;
    for (const actor of this.#drawn.actors) {
      const away = (actor.x + 0.5 - point.x) ** 2 + (actor.y + 0.5 - point.y) ** 2;
      if (away <= nearest && !this.#isHidden(actor)) [best, nearest] = [actor.id, away];
    }
    return best;
  }

  #isHidden({x, y}) {
    const {fog} = this.#drawn;
    return fog !== null && !fog[y * this.stage.board.width + x];
  }

  // Drawing.

  #tick(now) {
    this.ticking = requestAnimationFrame((later) => this.#tick(later));
    const moved = this.playback.tick(now);
    this.#watchPace(now);
    if (this.#overviewStale && now - this.#panelsAt > PANEL_EVERY) this.#showOverview();
    if (!moved && !this.#stale) return;
    const shown = this.playback.shown;
    find("match").classList.toggle("playing", this.playback.playing);
    this.timeline.show(this.playback.time, `turn ${this.playback.turn} of ${Math.max(this.source.turns, 0)}`);
    this.charts.show(this.playback.time);
    this.panels.showTurn(this.playback, this.source, this.#delay);
    if (!shown) return;
    this.#stale = false;
    this.#draw(shown);
    if (!this.playback.runs || now - this.#panelsAt > PANEL_EVERY) this.#showPanels(shown, now);
    if (now - this.#addressAt > ADDRESS_EVERY) this.#writeAddress(now);
    else this.#stale ||= !this.playback.runs && this.#addressAt !== 0;
  }

  /** While it plays, smoothness goes before sharpness; at rest everything is sharp. */
  #watchPace(now) {
    const gap = now - this.#lastTick;
    this.#lastTick = now;
    if (this.playback.runs && gap < 10 * SLOW) this.#gap += (gap - this.#gap) / 12;
    else this.#gap = 0;
    if (this.#gap > SLOW) this.#struggles = devicePixelRatio > 1;
    this.stage.coarse = this.#struggles && this.playback.runs;
  }

  #lastTick = 0;
  #gap = 0; // between frames, on the average
  #struggles = false;

  #draw({record, previous, progress}) {
    const {header} = this.source;
    if (this.#drawn?.record !== record || this.#drawn.eyes !== this.#eyes) {
      const fog = this.#eyes === null ? null : this.picture.sees(record.frame, this.#eyes, header);
      this.#drawn = {record, fog, eyes: this.#eyes, list: null};
      Object.defineProperty(this.#drawn, "actors", {
        get: () => (this.#drawn.list ??= this.picture.actors?.(record.frame, header) ?? []),
      });
    }
    const rings = this.#rings(previous, progress);
    this.stage.draw({
      match: header, frame: record.frame, previous, progress, colors: this.colors, theme: this.theme,
      focus: this.#followed ?? this.#pointed, look: this.look,
    }, this.#drawn.fog, rings, this.#remembered(record));
  }

  /** What the bot through whose eyes we look has seen before and does not see now. */
  #remembered({turn}) {
    const {memory} = this.source;
    const {fog} = this.#drawn;
    if (this.#eyes === null || memory?.team !== this.#eyes || !fog) return null;
    if (!this.#drawn.known) {
      const mind = memory.at(turn);
      if (!mind) return null;
      this.#drawn.known = {...mind, mask: Uint8Array.from(mind.when, (when, k) => Number(when >= 0 && !fog[k]))};
    }
    return this.#drawn.known;
  }

  /** Rings around who is followed and who is pointed at; the view goes with the one followed. */
  #rings(previous, progress) {
    this.#pointed = this.pointer ? this.#actorAt(this.pointer.clientX, this.pointer.clientY) : null;
    const rings = [];
    for (const id of new Set([this.#followed, this.#pointed])) {
      if (id === null) continue;
      const actor = this.#drawn.actors.find((one) => one.id === id);
      if (!actor) continue;
      const place = this.#onTheWay(actor, previous, progress);
      if (id === this.#followed) this.stage.lookAt({x: place.x + 0.5, y: place.y + 0.5});
      rings.push({...place, color: id === this.#followed ? this.theme.accent : this.theme.ink});
    }
    this.panels.showPointed(this.#pointed === this.#followed ? null : this.#pointed, this.#drawn.record, this.pointer);
    this.panels.showFollowed(this.#followed, this.#drawn.record);
    return rings;
  }

  #onTheWay(actor, previous, progress) {
    if (!previous || progress >= 1) return actor;
    if (this.#drawn.before !== previous) {
      this.#drawn.before = previous;
      this.#drawn.places = new Map(this.picture.actors(previous, this.source.header).map((one) => [one.id, one]));
    }
    const from = this.#drawn.places.get(actor.id);
    if (!from) return actor;
    const {width, height, wraps, reach} = this.stage.board;
    const short = (way, side) => (wraps && Math.abs(way) * 2 > side ? way - Math.sign(way) * side : way);
    const dx = short(actor.x - from.x, width);
    const dy = short(actor.y - from.y, height);
    if (Math.max(Math.abs(dx), Math.abs(dy)) > reach) return actor;
    return {...actor, x: from.x + dx * progress, y: from.y + dy * progress};
  }

  #showPanels({record}, now) {
    this.#panelsAt = now;
    const {header, series} = this.source;
    const values = {...this.picture.series(record.frame, header)};
    const faults = series.faults?.[record.turn];
    if (faults?.some((count) => count > 0)) values.faults = faults;
    const plain = teamColors(this.places, this.theme.dark);
    this.standings.show(values, plain, this.#focus, this.#eyes);
    const bot = this.source.header.bots[this.#eyes ?? this.#focus]?.name ?? null;
    this.panels.showEvents(record, this.told.written(record.turn, bot));
    this.told.at(record.turn, bot);
    if (find("answers").open && this.source.answers?.turn !== record.turn) this.source.wantAnswers(record.turn);
  }

  #showOverview() {
    this.#overviewStale = false;
    const {series, scanned, moments} = this.source;
    const turns = Math.max(this.source.turns, 0);
    const colors = teamColors(this.places, this.theme.dark);
    this.timeline.update({turns, scanned, moments, colors, theme: this.theme});
    this.charts.update({series, scanned, turns, colors: this.colors, focus: this.#focus, theme: this.theme});
    this.panels.showMoments(moments, colors);
    this.#stale = true;
  }

  #writeAddress(now) {
    this.#addressAt = now;
    this.writeAddress({
      turn: this.playback.delay === null ? this.playback.turn : null, live: this.playback.delay,
      speed: this.playback.speed, eyes: this.#eyes, bot: this.#focus,
    });
  }
}
