// Watching one match: ties the frames, the clock, the board and the panels together.

import {Board} from "./board.js";
import {Charts} from "./charts.js";
import {patternOf, placesOf, teamColors, themeOf} from "./colors.js";
import {find, make} from "./dom.js";
import {hasEyes} from "./eyes.js";
import {Ends} from "./ends.js";
import {guardPicture} from "./guard.js";
import {known} from "./events.js";
import {Kills} from "./kills.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";
import {Panels} from "./panels.js";
import {detailsOf, pictureOf} from "./place.js";
import {Playback, SPEEDS} from "./playback.js";
import {Pointer} from "./pointer.js";
import {onBoard} from "./drawings.js";
import {copyAddress, savePicture, toggleFullScreen} from "./share.js";
import {Sharpness} from "./sharpness.js";
import {Source} from "./source.js";
import {Standings, lastLiving} from "./standings.js";
import {Talk} from "./talk.js";
import {Timeline} from "./timeline.js";
import {Details} from "./details.js";

const PANEL_EVERY = 90; // milliseconds between changes of the panels while playing
const ADDRESS_EVERY = 600;
const LOOK_EVERY = 2000; // milliseconds between looks for the next match, while the end of one watched live is shown
const MOST_FAILURES = 5; // looks that may fail in a row
const SHOW_LOST = 6; // seconds of a show until all have the page, and with its end in view
const PAUSE = 6000; // milliseconds between a match's end and the next one's beginning, where they play on

export class MatchView {
  reasons = []; // of faults, known beside the replay: {bot, kind, count, turn, text}
  #closed = false;
  #delay = 0; // turns that a live match is watched late
  #focus = null; // the bot in focus
  #eyes = null; // the bot through whose eyes we look
  #stale = true;
  #overviewStale = true;
  #asked = false; // for what is known beside the replay
  #isOld = false; // whether the list of matches is older than this one's end
  #looksAt = Infinity; // when to look for the next match again
  #failures = 0; // looks in a row that have failed
  #panelsAt = 0;
  #addressAt = 0;
  #endedAt = 0; // when the last turn was reached by playing
  #found = {words: "", at: -1};
  #sharpness = new Sharpness();

  /** `on`: {writeAddress(state), fail(text), replaced(), next(), hasNext(), look()}; `wanted`: what the address says. */
  constructor(match, wanted, on) {
    document.body.append(find("watching").content.cloneNode(true));
    this.match = match;
    this.on = on;
    this.wanted = wanted;
    this.#isOld = match.turns === null;
    this.source = new Source(match);
    this.source.onChange = (what) => this.#learn(what);
    this.source.onError = (text) => {
      find("said").hidden = true;
      on.fail(text);
    };
    this.source.onReplaced = on.replaced;
    this.source.onPicture = (text) => this.#reportPicture(text);
    this.playback = new Playback(this.source);
    if (wanted.show) this.playback.tempo.whole = Math.max(Number(wanted.show) - SHOW_LOST, 3) || 60;
  }

  close() {
    this.#closed = true;
    this.source.close();
    cancelAnimationFrame(this.ticking);
    this.charts?.close();
    find("match").remove();
  }

  async #learn(what) {
    if (what === "header") await this.#open().catch((error) => this.on.fail(error.message));
    if (!this.panels) return;
    if (what === "answers") this.panels.showAnswers(this.source.answers);
    if (what === "memory") this.board.forget();
    if (what === "turns") {
      if (this.wanted && this.source.turns >= 0) this.restore(this.wanted);
      this.panels.showStatus(this.source);
      if (this.match.details && this.source.result && !this.#asked) this.#askMore();
      if (this.source.result && this.#isOld) this.#lookForMore();
    }
    if (what === "series" || what === "turns") this.#overviewStale = true;
    this.#stale = true;
  }

  /** It was watched live and is over: the next one may have begun, or begins while the end is shown. */
  async #lookForMore() {
    this.#isOld = false;
    this.#looksAt = Infinity;
    try {
      const isGoing = await this.on.look();
      if (isGoing && !this.on.hasNext()) this.#looksAt = performance.now() + LOOK_EVERY;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures > MOST_FAILURES) this.on.fail(error.message);
      else this.#looksAt = performance.now() + LOOK_EVERY;
    }
    this.#stale = true;
  }

  async #askMore() {
    this.#asked = true;
    const details = await detailsOf(this.match).catch((error) => this.on.fail(error.message));
    if (this.#closed || !details) return;
    this.details.show(details);
    this.reasons = details.faults ?? [];
    this.#overviewStale = true;
    this.#stale = true;
  }

  /** A function of the game's draw.js has failed; the page goes on without it. */
  #reportPicture(text) {
    const list = find("broken").querySelector("ul");
    if (![...list.children].some(({textContent}) => textContent === text)) list.append(make("li", null, text));
    find("broken").hidden = false;
  }

  async #open() {
    const {header} = this.source;
    const picture = guardPicture(await pictureOf(header.game), (text) => this.#reportPicture(text));
    if (this.#closed) return;
    find("said").hidden = true;
    this.picture = picture;
    const others = picture.others?.(header) ?? [];
    this.teams = [
      ...header.bots.map(({name}) => ({name, isBot: true})),
      ...others.map((name) => ({name: visible(name), isBot: false})),
    ];
    this.places = placesOf(this.match, this.teams.length);
    this.teams.forEach((team, k) => { team.pattern = team.isBot ? patternOf(this.places[k]) : 0; });
    this.board = new Board(find("board"), picture, header, this.teams);
    this.board.stage.onResize = () => { this.#stale = true; };
    this.timeline = new Timeline(find("timeline"), (turn) => this.jump(turn));
    this.charts = new Charts(
      find("charts"), (turn) => this.jump(turn), (team) => this.teams[team], (turn) => `turn ${shortNumber(turn)}`);
    this.standings = new Standings(
      find("standings"), this.teams, (team) => this.setFocus(team),
      hasEyes(this.source.header) ? (team) => this.setEyes(team) : null);
    this.panels = new Panels(header, picture, this.match, this.teams, {
      jump: (turn) => this.jump(turn), letGo: () => this.letGo()});
    this.kills = new Kills(this.teams, (turn) => this.jump(turn));
    this.details = new Details(find("written"), (turn) => this.jump(turn));
    this.talk = new Talk(find("talk"), this.match, () => { this.#stale = true; });
    this.ends = new Ends(find("ends"), header, this.teams, this.match, {
      play: () => this.toggle(), jump: (turn) => this.jump(turn), next: this.on.next, hasNext: this.on.hasNext,
      share: () => this.share(), picture: () => this.photo()});
    this.#wirePointer();
    this.#wireButtons();
    this.restyle();
    this.#learn("turns");
    this.ticking = requestAnimationFrame((now) => this.#tick(now));
  }

  #wirePointer() {
    new Pointer(this.board.stage, {
      hover: (x, y) => this.#point(x, y),
      leave: () => this.#point(null),
      tap: (x, y) => this.#tap(x, y),
      change: (dragged) => this.#onMoved(dragged),
    });
  }

  #wireButtons() {
    const actions = {
      start: () => this.jump(0), before: () => this.step(-1), play: () => this.toggle(),
      after: () => this.step(1), live: () => this.live(), end: () => this.jump(Infinity),
      full: () => this.full(), photo: () => this.photo(), share: () => this.share(),
    };
    for (const [id, action] of Object.entries(actions)) find(id).addEventListener("click", action);
    for (const id of ["answers", "kills"]) find(id).addEventListener("toggle", () => { this.#stale = true; });
    const speeds = SPEEDS.map((speed) => new Option(String(speed), String(speed)));
    find("speed").replaceChildren(new Option("auto", "auto"), ...speeds);
    find("speed").addEventListener("change", () => {
      this.playback.setSpeed(find("speed").value);
      this.#stale = true;
    });
    find("find").addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.search(find("find").value);
      if (event.key === "Escape") find("find").blur();
      event.stopPropagation();
    });
  }

  /** Go where the address says. */
  restore(wanted) {
    this.wanted = this.panels && this.source.turns >= 0 ? null : wanted; // asked for before the match is there: later
    if (this.wanted) return;
    const {turn, speed, eyes, bot, live, who, view, play, onwards} = wanted;
    find("onwards").checked = onwards !== undefined;
    if (Number(speed) > 0) this.playback.setSpeed(speed);
    this.playback.playing = play !== undefined;
    if (Number.isFinite(Number(turn))) this.playback.seek(Number(turn));
    if (live !== undefined && !this.source.result) this.playback.follow(Math.max(Number(live), 0) || 0);
    this.#delay = Math.max(Number(live), 0) || 0;
    const isBot = (word) => word !== undefined && this.source.header.bots[Number(word)] !== undefined;
    this.#focus = isBot(bot) ? Number(bot) : null;
    this.#eyes = isBot(eyes) && hasEyes(this.source.header) ? Number(eyes) : null;
    this.board.followed = who === undefined ? null : /^-?\d+$/.test(who) ? Number(who) : who;
    this.#wantedView = view ?? null;
    this.restyle();
  }

  #legendStale = true;
  #wantedView = null; // "x,y,zoom", once the board has its size

  restyle() {
    if (!this.picture) return;
    if (this.picture.drawMemory && (this.source.memory?.team ?? null) !== this.#eyes) this.source.remember(this.#eyes);
    this.theme = {...themeOf(document.documentElement)};
    const {bots} = this.source.header;
    this.plain = teamColors(this.places, this.theme.dark, null, bots.length);
    this.colors = teamColors(this.places, this.theme.dark, this.#focus, bots.length);
    this.look = `${this.theme.dark} ${this.#focus} ${this.#eyes}`;
    this.#legendStale = true;
    this.ends.hide();
    this.#overviewStale = true;
    this.#stale = true;
  }

  // What keys and buttons do.

  toggle() {
    this.playback.toggle();
    this.ends.hide();
    this.#stale = true;
  }

  live() {
    if (!this.source.result) this.playback.follow(this.playback.delay === null ? this.#delay : null);
    this.#stale = true;
  }
  step(turns) { this.playback.step(turns); this.#stale = true; }
  jump(turn) { this.playback.seek(turn); this.ends?.hide(); this.#stale = true; }
  faster(steps) { this.playback.faster(steps); this.#stale = true; }
  zoom(factor) { this.board.stage.zoomBy(factor); this.#onMoved(false); }
  whole() { this.board.stage.reset(); this.#onMoved(false); }
  full() { toggleFullScreen(find("match")); }
  share() { copyAddress((words) => this.panels.say(words)); }

  photo() {
    const name = `${this.source.header.game}-${this.match.name}-turn-${this.playback.turn}.png`;
    savePicture(this.board.stage.canvas, name);
  }

  moment(direction) {
    const {turn} = this.playback;
    const moments = known(this.source.moments, this.#eyes);
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
    if (hasEyes(this.source.header)) this.setEyes(this.#eyes === null ? (this.#focus ?? 0) : this.#eyes);
  }

  setEyes(team) {
    this.#eyes = this.#eyes === team || !this.teams[team].isBot ? null : team;
    this.#focus = null;
    this.restyle();
  }

  follow(id = this.board.pointed) {
    this.board.follow(id);
    this.#onMoved(false);
  }

  letGo() {
    this.#focus = null;
    this.#eyes = null;
    this.board.follow(null);
    this.board.stage.reset();
    this.ends.hide();
    this.restyle();
    this.#onMoved(false);
  }

  /** Put the cursor where one types whom to look for. */
  seek() { find("find").focus(); }

  /** Follow the next one who is called so. */
  search(words) {
    const ids = this.board.find(words);
    const at = words === this.#found.words ? this.#found.at + 1 : 0;
    this.#found = {words, at: ids.length ? at % ids.length : -1};
    this.panels.say(ids.length ? `${this.#found.at + 1} of ${ids.length}` : "no unit has this name");
    if (ids.length) this.follow(ids[this.#found.at]);
  }

  // The pointer.

  #onMoved(dragged) {
    const {stage} = this.board;
    if (dragged && stage.zoom > 1) this.board.followed = null;
    stage.canvas.classList.toggle("zoomed", stage.zoom > 1);
    this.#stale = true;
  }

  #point(clientX, clientY = 0) {
    this.board.pointer = clientX === null ? null : {clientX, clientY};
    this.#stale = true;
  }

  #tap(clientX, clientY) {
    const id = this.board.actorAt(clientX, clientY);
    if (id === null) this.panels.showSquare(this.board.squareAt({clientX, clientY}), {clientX, clientY});
    this.follow(id === this.board.followed ? null : id);
  }

  // Drawing.

  #tick(now) {
    this.ticking = requestAnimationFrame((later) => this.#tick(later));
    const ran = this.playback.runs;
    const moved = this.playback.tick(now);
    if (this.board) this.board.stage.coarse = this.#sharpness.isTooMuch(now, this.playback.runs);
    this.#playOn(now, ran);
    if (now > this.#looksAt && this.ends.isEnd) this.#lookForMore();
    if (this.#overviewStale && now - this.#panelsAt > PANEL_EVERY) this.#showOverview();
    if (!moved && !this.#stale) return;
    const {shown} = this.playback;
    find("match").classList.toggle("playing", this.playback.playing);
    this.timeline.show(this.playback.time, `turn ${this.playback.turn} of ${Math.max(this.source.turns, 0)}`);
    this.panels.showTurn(this.playback, this.source, this.#delay);
    find("board").setAttribute("aria-busy", String(!shown)); // the turn's number stands before its picture
    if (!shown) return;
    this.#stale = false;
    this.#draw(shown);
    if (!this.playback.runs || now - this.#panelsAt > PANEL_EVERY) this.#showPanels(shown, now);
    if (now - this.#addressAt > ADDRESS_EVERY) this.#writeAddress(now);
    else this.#stale ||= !this.playback.runs && this.#addressAt !== 0;
  }

  /** At the end of a match that was played through, the next one begins, if matches play on. */
  #playOn(now, ran) {
    const isOver = this.source.result !== null && this.playback.turn >= this.source.turns && !this.playback.runs;
    if (!isOver) this.#endedAt = 0;
    else if (ran) this.#endedAt = now;
    if (!this.#endedAt || !find("onwards").checked || now - this.#endedAt < PAUSE) return;
    this.#endedAt = now; // in a contest that runs it may take a while until there is one
    this.on.next();
  }

  #draw(shown) {
    const {stage} = this.board;
    // A bot is not shown what passes it by between two of its questions.
    this.board.draw(this.#eyes === null ? shown.drawn : shown, {
      eyes: this.#eyes, colors: this.colors, theme: this.theme, look: this.look, memory: this.source.memory,
      drawings: this.#drawings(shown.record.turn)});
    if (this.#wantedView) {
      stage.setPlace(this.#wantedView);
      this.#wantedView = null;
      this.#onMoved(false);
    }
    const {pointed, followed, pointer, frame} = this.board;
    this.panels.showPointed(pointed === followed ? null : pointed, frame, pointer);
    const isSquare = pointer && (pointed === null || pointed === followed);
    if (isSquare) this.panels.showSquare(this.board.squareAt(pointer), pointer);
    this.panels.showFollowed(this.board.known, frame);
  }

  /** What bots drew for their authors when they were asked here: of the one in focus, else of all. */
  #drawings(turn) {
    const {bots} = this.source.header;
    const bot = bots[this.#eyes ?? this.#focus]?.given ?? null;
    return this.details.drawingsAt(turn, bot).flatMap(({bot: name, draw}) => {
      const own = this.colors[bots.findIndex(({given}) => given === name)];
      return onBoard(draw, this.picture, this.source.header, own ?? this.theme.accent);
    });
  }

  #showPanels({record}, now) {
    this.#panelsAt = now;
    if (this.#legendStale) this.panels.showLegend(record.frame, this.plain, this.theme);
    this.#legendStale = false;
    this.charts.show(this.playback.time);
    const {header, series, result, turns, deaths, moments} = this.source;
    const values = {...this.picture.series(record.frame, header)};
    const faults = series.faults?.[record.turn];
    if (faults?.some((count) => count > 0)) values.faults = faults;
    const isOver = result !== null && record.turn >= turns;
    const until = lastLiving(series.alive, this.teams.length, record.turn);
    this.standings.show(values, this.plain, this.#focus, this.#eyes, until, isOver);
    const team = this.#eyes ?? this.#focus;
    const bot = header.bots[team]?.name ?? null;
    this.panels.showCaption(this.#eyes === null ? record.frame : this.board.frame, this.#eyes);
    const gone = this.source.gone.flatMap((turn, seat) => (turn === record.turn ? [seat] : []));
    this.panels.showEvents(record, gone, this.details.errorsAt(record.turn, bot), team);
    this.kills.show(known(deaths, this.#eyes), record.turn, team, this.plain);
    this.details.at(record.turn, bot);
    const given = header.bots[team]?.given ?? null;
    if (this.match.details && result && !this.playback.runs) this.talk.show(given, record.turn);
    if (find("answers").open && this.source.answers?.turn !== record.turn) this.source.wantAnswers(record.turn);
    const isKnown = this.source.scanned >= turns;
    if (isOver && !this.playback.runs) {
      const standing = {scores: Object.values(series)[0], alive: values.alive, until};
      this.ends.end(result, isKnown ? moments : null, this.plain, standing);
    } else if (record.turn === 0 && turns > 0 && !this.playback.runs) this.ends.begin(this.plain);
    else this.ends.hide();
  }

  #showOverview() {
    this.#overviewStale = false;
    const {series, scanned, moments, lively} = this.source;
    const turns = Math.max(this.source.turns, 0);
    this.playback.tempo.learn(lively, turns);
    const shown = known(moments, this.#eyes);
    this.timeline.update({turns, scanned, moments: shown, teams: this.teams, colors: this.plain, theme: this.theme});
    this.charts.update({series, scanned, turns, colors: this.colors, focus: this.#focus, theme: this.theme});
    this.panels.showMoments(shown, this.plain, this.#eyes);
    this.panels.showFaults(this.source.faults, this.reasons, this.plain);
    this.#stale = true;
  }

  #writeAddress(now) {
    this.#addressAt = now;
    const {playback} = this;
    this.on.writeAddress({
      turn: playback.delay === null ? playback.turn : null, live: playback.delay,
      speed: playback.auto ? null : playback.speed, eyes: this.#eyes, bot: this.#focus,
      who: this.board.followed, view: this.board.stage.place, onwards: find("onwards").checked ? "" : null,
    });
  }
}
