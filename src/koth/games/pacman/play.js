// Pac-Man for a person: what the lines of its seat tell, remembered, and where to go next.

export {board, draw} from "./draw.js";

const [GHOST, PACMAN, STILL] = [1, 2, 4];
const ITEMS = {X: 0, o: 1, O: 2, F: 3};
const WAYS = ["N", "E", "S", "W"];
const UNKNOWN_KIND = 4;

export const play = {
  title: "Programmin' Pac-Man",
  pace: 4,
  pad: 4,
  squares: 15,
  fog: [0.66, 0.42],
  middle: "■",
  taken: ["n", "e", "s", "w", "x", " ", "."],
  goal: [
    "You are the yellow one. Eat pellets ({pellet_points}), power pellets ({power_points}) and fruit ({fruit_points}), and keep away from ghosts.",
    "After a power pellet you are invincible for {invincible} turns: eat ghosts ({ghost_points}).",
    "You see straight ahead and to both sides, until a wall. Stand still to look all around.",
    "You are caught? You go on as a ghost, see through walls, and hunt the others.",
  ],
  keys: [
    [["←", "↑", "→", "↓"], "go there, and on and on (or N, E, S, W; or swipe; or tap the board)"],
    [["X"], "stand still and look around (or space)"],
    [["P"], "pause"],
    [["+", "−"], "closer, farther"],
  ],
  lessons: [
    "Eat the dots: an arrow is a step. Nothing moves while you think; with a pace, below, you go on until a wall.",
    "Large dots make you invincible for {invincible} turns: then eat ghosts.",
    "You see ahead and to both sides only. In a dead end nothing moves: turn round; X looks all around.",
  ],
};

/** The person is yellow; who the others are, nobody is told. */
export const colors = (usual, _seat) => ["#ffd400", ...usual.slice(1).map(() => "#a9b4c4")];

const placeOf = ({r, c}) => ({x: c, y: r});

export class Player {
  frame = null;
  previous = null;
  center = null;
  cameFrom = null;

  constructor(matchInfo, gridOf) {
    this.side = matchInfo.side;
    this.grid = gridOf({width: matchInfo.side, wraps: true});
    this.walls = matchInfo.walls;
    this.settings = matchInfo; // what the picture reads of them
    this.points = [0, matchInfo.pellet_points, matchInfo.power_points, matchInfo.fruit_points];
    this.turns = matchInfo.turns; // of the match at the most
    this.items = new Int32Array(this.side ** 2);
    this.known = new Uint8Array(this.side ** 2); // 0 never seen, 1 seen before, 2 in view
    this.eaten = [0, 0, 0, 0];
    this.invincible = 0;
    this.turn = 0;
    this.self = "X";
    this.pieces = [];
    this.heading = null; // where it goes on until told otherwise
    this.wanted = null; // where it turns as soon as it can
    this.news = "";
  }

  /** A question has come: where it stands, what it is, what it sees. */
  see({row, col, self, seen}) {
    this.turn++;
    this.news = "";
    const before = this.center;
    const wasGhost = this.self === "G";
    this.self = self;
    this.cameFrom = before;
    this.center = {x: col, y: row};
    const gained = this.#eat(row, col, self, before);
    for (let k = 0; k < this.known.length; k++) if (this.known[k] === 2) this.known[k] = 1;
    this.#remember(row, col, self);
    for (const [r, c, what] of seen) this.#remember(r, c, what);
    const others = seen.filter(([, , what]) => what === "P" || what === "G");
    if (self === "P") others.push([row, col, "P"]);
    const pieces = this.#match(others.map(([r, c, what]) => ({r, c, what})));
    if (self === "G" && !wasGhost && before) {
      this.news = "Caught! You go on as a ghost.";
      this.heading = this.wanted = null;
    }
    this.#picture(pieces, before ?? this.center, wasGhost, gained);
  }

  /** What was eaten on the way here, as far as it can be known: points. */
  #eat(row, col, self, before) {
    if (this.invincible > 0) this.invincible--;
    if (!before || self !== "X") return 0;
    const item = this.items[row * this.side + col];
    if (item) this.eaten[item]++;
    if (item === ITEMS.O) this.invincible = this.settings.invincible;
    return this.points[item];
  }

  #remember(r, c, what) {
    const square = this.grid.square(c, r);
    this.known[square] = 2;
    if (what in ITEMS) this.items[square] = ITEMS[what];
    else if (what === "P") this.items[square] = 0; // it has eaten what was there
  }

  /** The pieces in view, each with where it came from: the nearest of its kind that is a step away, if any. */
  #match(pieces) {
    const free = new Set(this.pieces);
    for (const piece of pieces) {
      const isStepAway = (old) => this.grid.steps(placeOf(old), placeOf(piece)) <= 1;
      const near = [...free].find((old) => old.what === piece.what && isStepAway(old));
      piece.from = near ?? piece;
      if (near) free.delete(near);
    }
    this.pieces = pieces.map(({r, c, what}) => ({r, c, what}));
    return pieces;
  }

  #way(from, to) {
    const way = WAYS.indexOf(this.grid.towards(placeOf(from), placeOf(to)));
    return way < 0 || this.grid.steps(placeOf(from), placeOf(to)) !== 1 ? STILL : way;
  }

  /** The frames that the picture is drawn from; the person comes first among the Pac-Men. */
  #picture(pieces, before, wasGhost, gained) {
    const here = {r: this.center.y, c: this.center.x};
    const me = {...here, from: {r: before.y, c: before.x}};
    const pacmen = [me, ...pieces.filter(({what}) => what === "P")];
    const ghosts = pieces.filter(({what}) => what === "G");
    const dead = this.self === "G";
    const frame = (at, status, items) => ({
      turn: this.turn,
      item: items,
      ghost_kind: ghosts.map(() => UNKNOWN_KIND),
      ghost_row: ghosts.map((piece) => at(piece).r),
      ghost_col: ghosts.map((piece) => at(piece).c),
      ghost_waits: ghosts.map(() => 0),
      chasing: ghosts.map(() => 0),
      quarry: ghosts.map(() => -1),
      status: pacmen.map((_, k) => (k === 0 ? status : PACMAN)),
      row: pacmen.map((piece) => at(piece).r),
      col: pacmen.map((piece) => at(piece).c),
      facing: pacmen.map((piece) => this.#way(piece.from, piece)),
      invincible: pacmen.map((_, k) => (k === 0 && !dead ? this.invincible : 0)),
      waits: pacmen.map(() => 0),
      gained: pacmen.map((_, k) => (k === 0 ? gained : 0)),
      alive: pacmen.map(() => 1),
      score: pacmen.map(() => 0),
    });
    const items = this.frame?.item ?? this.items.slice();
    this.previous = frame((piece) => piece.from, dead && wasGhost ? GHOST : PACMAN, items);
    this.frame = frame((piece) => piece, dead ? GHOST : PACMAN, this.items.slice());
  }

  #isOpen(way) {
    const digit = parseInt(this.walls[this.center.y * this.side + this.center.x], 16);
    return !((digit >> WAYS.indexOf(way)) & 1);
  }

  /** What a command means: "done" when the turn can end with it, "changed", or null for nothing. */
  act(command, waits) {
    const pressed = command.press?.toUpperCase();
    const way = command.go ?? command.face ?? (WAYS.includes(pressed) ? pressed : this.#towards(command.tap));
    if (way) {
      if (waits && !this.#isOpen(way)) return null; // a wall costs no turn where there is time
      this.wanted = way;
      return "done";
    }
    if (command.tap || ["X", " ", "."].includes(pressed)) {
      this.wanted = this.heading = null;
      return "done";
    }
    return null;
  }

  /** The direction of a square that was tapped, the short way round. */
  #towards(tap) {
    if (!tap) return null;
    const [dx, dy] = this.grid.between(this.center, tap);
    if (dx === 0 && dy === 0) return null;
    const [across, down] = [dx > 0 ? "E" : "W", dy > 0 ? "S" : "N"];
    const ranked = Math.abs(dx) > Math.abs(dy) ? [across, down] : [down, across];
    const useful = ranked.filter((way) => (way === across ? dx : dy) !== 0);
    return useful.find((way) => this.#isOpen(way)) ?? useful[0];
  }

  /** It turns where it was told to as soon as there is a way, and goes on until then. */
  answer() {
    if (this.wanted && this.#isOpen(this.wanted)) {
      this.heading = this.wanted;
      this.wanted = null;
    }
    return {move: this.heading && this.#isOpen(this.heading) ? this.heading : "X"};
  }

  status() {
    const [, pellets, power, fruit] = this.eaten;
    const dead = this.self === "G";
    const points = this.eaten.reduce((sum, count, item) => sum + count * this.points[item], 0);
    const blocked = this.heading && !this.#isOpen(this.heading);
    const usual = dead
      ? `You see ${this.settings.ghost_sight} squares around you, walls or no walls. Step onto a Pac-Man to catch it.`
      : "What ghosts bring is told at the end: nobody says it to a bot before.";
    const ghosts = this.pieces.filter(({what}) => what === "G").length;
    return {
      headline: dead ? "You are a ghost" : this.invincible ? `Invincible: ${this.invincible}` : "You are Pac-Man",
      rows: [
        ["eaten", `${points} points`],
        ["pellets", pellets],
        ["power pellets", power],
        ["fruit", fruit],
        // A ghost that was eaten sits out turns that nobody tells it of.
        [dead ? "turns left, at most" : "turns left", Math.max(this.turns - this.turn + 1, 0)],
        ["ghosts in sight", ghosts, ghosts > 0 && !dead && !this.invincible],
      ],
      hint: blocked ? "A wall: you stand still until you choose another way." : usual,
      notice: this.news,
    };
  }
}
