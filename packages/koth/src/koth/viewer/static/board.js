// The board: a turn with names, rings, and the trail of the unit in focus.

import {seeThrough} from "./eyes.js";
import {gridOf} from "./grid.js";
import {visible} from "./names.js";
import {Stage} from "./stage.js";

const CLOSE_UP = 45; // squares in view when somebody is followed
const NAMED = 4; // units of a bot in view, on the average, up to which they have their names beside them
const LARGE = 22; // CSS pixels of a square from which on all have, unless there are more in view than
const MOST_NAMES = 300; // these: nobody reads more, and they take longer than all else that is drawn
const TRAIL = 30; // turns
const NAME = 14; // characters of a name on the board

export class Board {
  followed = null; // an actor's id
  pointed = null;
  pointer = null; // {clientX, clientY}
  #turn = null; // {record, eyes, frame, seen, actors}
  #befores = new WeakMap(); // frame before, as the same eyes saw it -> its actors by id
  #trail = []; // {turn, x, y} of the one followed
  #known = null;

  /** `teams`: {name, pattern}. */
  constructor(canvas, picture, header, teams) {
    this.picture = picture;
    this.header = header;
    this.names = teams.map(({name}) => visible(name, NAME));
    this.patterns = teams.map(({pattern}) => pattern);
    this.stage = new Stage(canvas, picture);
  }

  get record() {
    return this.#turn?.record ?? null;
  }

  /** What is known of the turn on the board: all, or what the eyes see. */
  get frame() {
    return this.#turn?.frame ?? null;
  }

  /** The bot's memory has grown. */
  forget() {
    this.#known = null;
  }

  /** Who is followed, if its details are known: through a bot's eyes those of nobody out of sight. */
  get known() {
    return this.#turn?.seen && !this.#turn.byId.has(this.followed) ? null : this.followed;
  }

  follow(id) {
    this.followed = id;
    this.#trail = [];
    if (id !== null) this.stage.zoomTo(CLOSE_UP);
  }

  /** Draw `shown` ({record, previous, progress}); `look`: {eyes, colors, theme, look, memory, drawings}. */
  draw({record, previous, progress}, {eyes, colors, theme, look, memory, drawings = []}) {
    const known = this.#see(record, previous, eyes);
    this.stage.lay(this.header, known.frame);
    this.pointed = this.pointer ? this.actorAt(this.pointer.clientX, this.pointer.clientY) : null;
    const marks = {...this.#marks(known, progress, colors, theme), drawings};
    this.stage.draw({
      match: this.header, frame: known.frame, previous: known.previous, progress, colors, theme,
      focus: this.followed ?? this.pointed, look, patterns: this.patterns,
    }, known.seen, marks, this.#remember(known, eyes, memory));
  }

  #see(record, previous, eyes) {
    const now = this.#turn;
    if (now?.record === record && now.eyes === eyes && now.before === previous) return now;
    const known = seeThrough(this.header, eyes, record.frame, previous);
    const actors = (this.picture.actors?.(known.frame, this.header) ?? []).filter((actor) => this.#isThere(actor));
    this.#turn = {...known, record, eyes, before: previous, actors, byId: new Map(actors.map((one) => [one.id, one]))};
    this.#known = null;
    this.#leaveTrail();
    return this.#turn;
  }

  #isThere = ({x, y}) => x >= 0 && y >= 0;

  /** What the bot through whose eyes we look has seen before and does not see now. */
  #remember({record, seen}, eyes, memory) {
    if (eyes === null || memory?.team !== eyes || !seen) return null;
    if (!this.#known) {
      const mind = memory.at(record.turn);
      if (!mind) return null;
      this.#known = {...mind, mask: Uint8Array.from(mind.when, (when, k) => Number(when >= 0 && !seen[k]))};
    }
    return this.#known;
  }

  // Who is where.

  actorAt(clientX, clientY) {
    const point = this.stage.pointAt(clientX, clientY);
    if (!point || !this.#turn) return null;
    const reach = Math.max(0.5, 9 / this.stage.placeOf(point).size);
    let best = null;
    let nearest = reach * reach * 2;
    for (const actor of this.#turn.actors) {
      const away = (actor.x + 0.5 - point.x) ** 2 + (actor.y + 0.5 - point.y) ** 2;
      if (away <= nearest) [best, nearest] = [actor.id, away];
    }
    return best;
  }

  /** The square under the pointer, in words: {title, rows}, or null. */
  squareAt({clientX, clientY}) {
    const point = this.stage.pointAt(clientX, clientY);
    if (!point || !this.#turn) return null;
    const [x, y] = [Math.floor(point.x), Math.floor(point.y)];
    const {frame, seen} = this.#turn;
    const about = this.picture.aboutSquare?.(frame, x, y, this.header) ?? {title: `${x}, ${y}`, rows: []};
    return seen && !seen[y * this.stage.board.width + x] ? {title: about.title, rows: [["", "not in sight"]]} : about;
  }

  /** The ids of those whose title has these words in it, in the order of actors. */
  find(words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted || !this.#turn || !this.picture.about) return [];
    const {frame, actors} = this.#turn;
    const title = ({id}) => this.picture.about(frame, id, this.header)?.title.toLowerCase() ?? "";
    const whole = /^#?\d+$/.test(wanted) ? new RegExp(`#${wanted.replace("#", "")}(?!\\d)`) : null;
    return actors.filter((one) => (whole ? whole.test(title(one)) : title(one).includes(wanted))).map(({id}) => id);
  }

  // Marks.

  #marks(known, progress, colors, theme) {
    const rings = [];
    let trail = null;
    for (const id of new Set([this.followed, this.pointed])) {
      const actor = id === null ? undefined : known.byId.get(id);
      if (!actor) continue;
      const place = this.#positionOf(actor, known, progress);
      const isFollowed = id === this.followed;
      if (isFollowed) {
        this.stage.lookAt({x: place.x + 0.5, y: place.y + 0.5});
        trail = {places: [...this.#trail.slice(0, -1), place], color: theme.accent};
      }
      rings.push({...place, color: isFollowed ? theme.accent : theme.ink});
    }
    const labels = this.#labels(known, progress, colors);
    const pieces = labels.length ? known.actors.map((actor) => this.#positionOf(actor, known, progress)) : [];
    return {rings, trail, labels, pieces};
  }

  /** The names of bots with few units in view, or of large ones. */
  #labels(known, progress, colors) {
    const bots = this.header.bots.length;
    const own = this.stage.findShown(known.actors.filter((one) => one.team !== null && one.team < bots));
    if (own.length > (this.stage.square < LARGE ? NAMED * bots : MOST_NAMES)) return [];
    return own.map((actor) => {
      const {x, y} = this.#positionOf(actor, known, progress);
      const {team} = actor;
      return {x, y, text: this.names[team], color: colors[team], pattern: this.patterns[team]};
    });
  }

  #positionOf(actor, {previous}, progress) {
    if (!previous || progress >= 1) return actor;
    if (!this.#befores.has(previous)) {
      const before = this.picture.actors(previous, this.header);
      this.#befores.set(previous, new Map(before.map((one) => [one.id, one])));
    }
    const from = this.#befores.get(previous).get(actor.id);
    if (!from || !this.#isThere(from)) return actor;
    const [dx, dy] = gridOf(this.stage.board).between(from, actor);
    if (Math.max(Math.abs(dx), Math.abs(dy)) > this.stage.board.reach) return actor;
    return {...actor, x: from.x + dx * progress, y: from.y + dy * progress};
  }

  /** Turns that were shown one after another while somebody was followed leave its way behind. */
  #leaveTrail() {
    if (this.followed === null) return;
    const {record, byId} = this.#turn;
    const actor = byId.get(this.followed);
    const last = this.#trail.at(-1);
    if (!actor || (last && (record.turn < last.turn || record.turn > last.turn + TRAIL))) this.#trail = [];
    const {turn} = record;
    if (actor && this.#trail.at(-1)?.turn !== turn) this.#trail.push({turn, x: actor.x, y: actor.y});
    if (this.#trail.length > TRAIL) this.#trail.shift();
  }
}
