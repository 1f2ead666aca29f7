// Metal Man for a person, who plans both pieces and then confirms. `pace`, `fog`, `taken` ...: docs/draw-js.md.

const WAYS = ["N", "E", "S", "W"];
const PARTS = ["Spotter", "Assasin"];

export const play = {
  title: "The Monkey and the Metal Man",
  pace: 0,
  pad: 4,
  squares: 15,
  fog: [1, 0.28],
  middle: "↶",
  taken: ["1", "2", "Tab", "Backspace", ".", "Enter", " ", "f"],
  goal: [
    "You have two pieces: the spotter (round) sees far and makes {spotter_steps} steps a round, the assassin (a blade) makes {assassin_steps} and hardly sees.",
    "End on an enemy's square to capture it. From a mountain the spotter sees everything around, walls or not.",
    "You see only what your pieces face. The map closes in from its edge: be gone from the outer ring when it falls.",
    "Plan both pieces, then confirm. The last one left wins.",
  ],
  keys: [
    [["←", "↑", "→", "↓"], "a step of the chosen piece, which then faces that way (or swipe)"],
    [["shift ←", "shift →"], "turn it only (or F, then arrows)"],
    [["click"], "a piece of yours: choose it; a square in reach: go there; further away: face it"],
    [["1", "2", "Tab"], "spotter, assassin, the other one"],
    [["Backspace"], "take a step back"],
    [["Enter"], "confirm (or space)"],
  ],
  lessons: [
    "You have a spotter (round) and an assassin (blade). Arrows make steps for the one chosen; Enter ends the turn.",
    "Tap the other piece, or Tab, to plan it, too. The spotter sees far, the assassin steps far.",
    "The map's edge falls, ring by ring: keep moving towards the middle.",
    "Step onto an enemy's piece to capture it. Who has pieces when all others have none wins.",
  ],
};

export class Player {
  constructor(sight) {
    this.sight = sight;
    this.matchInfo = sight.match.facts;
    this.grid = sight.match.grid({width: this.matchInfo.columns, height: this.matchInfo.rows});
    this.vectors = WAYS.map((way) => [...this.grid.ways[way]].reverse()); // rows first
    this.words = sight.match.spec.codes.piece;
    this.most = [this.matchInfo.spotter_steps, this.matchInfo.assassin_steps];
    this.enemies = 0; // in sight
    this.own = null;
    this.chosen = 0;
    this.turning = false;
    this.plan = null;
    this.news = "";
  }

  see(ask) {
    const before = this.own;
    this.own = ["spotter", "assasin"].map((name) => {
      const [row, column] = ask[`${name} location`];
      return {row, column, alive: ask[`${name} alive`], way: this.#wayOf(ask[`${name} direction`])};
    });
    const {frame, known} = this.sight;
    // Everybody knows how many rings have collapsed, seen or not.
    known.forEach((level, square) => { if (this.#hasFallen(square)) known[square] = Math.max(level, 1); });
    const isEnemy = (piece) => frame.living[piece] && piece >> 1 !== this.matchInfo.player;
    const enemies = [...frame.living.keys()].filter(isEnemy).length;
    const lost = this.own.flatMap(({alive}, k) => (before?.[k].alive && !alive ? [this.words[k]] : []));
    if (lost.length) this.news = `You have lost your ${lost.join(" and your ")}`;
    else this.news = enemies > this.enemies ? "Enemy in sight" : "";
    this.enemies = enemies;
    this.plan = this.own.map(() => ({moves: [], way: null}));
    this.turning = false;
    if (!this.own[this.chosen].alive || before === null) this.chosen = this.own[0].alive ? 0 : 1;
    this.#look();
  }

  #wayOf = ([row, column]) => this.vectors.findIndex(([r, c]) => r === row && c === column);

  #hasFallen(square) {
    const {x, y} = this.grid.place(square);
    return this.grid.ring(x, y) < this.sight.frame.circles;
  }

  /** Centre the view on where the chosen piece will be. */
  #look() {
    const {row, column} = this.#end(this.chosen);
    this.sight.follow({x: column, y: row});
  }

  /** Return the squares of a piece's plan, its own first, without impossible steps. */
  #path(piece) {
    /** @type {{row: number, column: number}[]} */
    const path = [this.own[piece]];
    for (const way of this.plan[piece].moves) {
      const {row, column} = path.at(-1);
      path.push({row: row + this.vectors[way][0], column: column + this.vectors[way][1]});
    }
    return path;
  }

  #end(piece) {
    return this.plan ? this.#path(piece).at(-1) : this.own[piece];
  }

  /** Return whether a step onto a square may succeed: no known wall, and not the other piece. */
  #isFree(piece, row, column) {
    const square = this.grid.square(column, row);
    const {frame, match} = this.sight;
    if (square < 0 || frame.terrain[square] === match.codes.terrain.wall || this.#hasFallen(square)) return false;
    const other = 1 - piece; // the spotter goes first: it finds the assassin where that is now
    if (!this.own[other].alive) return true;
    const at = piece === 0 ? this.own[other] : this.#end(other);
    return at.row !== row || at.column !== column;
  }

  act(command) {
    const {press, tap} = command;
    if (press === "Enter" || press === " ") return "done";
    if (press === "1" || press === "2") return this.#choose(Number(press) - 1);
    if (press === "Tab") return this.#choose(1 - this.chosen);
    if (press === "Backspace" || press === ".") return this.#undo();
    if (press === "f") {
      this.turning = !this.turning;
      return "changed";
    }
    if (tap) return this.#tapped(tap.y, tap.x);
    const way = WAYS.indexOf(command.go ?? command.face);
    if (way < 0) return null;
    return command.face || this.turning ? this.#face(way) : this.#step(way);
  }

  #choose(piece) {
    if (!this.own[piece].alive) return null;
    this.chosen = piece;
    this.#look();
    return "changed";
  }

  #face(way) {
    this.plan[this.chosen].way = way;
    return "changed";
  }

  #step(way) {
    const plan = this.plan[this.chosen];
    const {row, column} = this.#end(this.chosen);
    const free = this.#isFree(this.chosen, row + this.vectors[way][0], column + this.vectors[way][1]);
    if (free && plan.moves.length < this.most[this.chosen]) plan.moves.push(way);
    plan.way = way;
    this.#replan();
    return "changed";
  }

  #undo() {
    const plan = this.plan[this.chosen];
    plan.moves.pop();
    plan.way = plan.moves.at(-1) ?? null;
    this.#replan();
    return "changed";
  }

  /** Keep the assassin's plan off the spotter's changed plan. */
  #replan() {
    if (this.chosen === 0 && this.own[0].alive && this.own[1].alive) {
      const end = this.#end(0);
      const at = this.#path(1).findIndex(({row, column}, k) => k > 0 && row === end.row && column === end.column);
      if (at > 0) this.plan[1].moves.length = at - 1;
    }
    this.#look();
  }

  #tapped(row, column) {
    const own = [0, 1].find((piece) => this.own[piece].alive && piece !== this.chosen
      && [this.own[piece], this.#end(piece)].some((at) => at.row === row && at.column === column));
    if (own !== undefined) return this.#choose(own);
    const way = this.#route(row, column);
    if (way) {
      this.plan[this.chosen].moves = way;
      if (way.length) this.plan[this.chosen].way = way.at(-1);
      this.#replan();
      return "changed";
    }
    const end = this.#end(this.chosen);
    const [down, across] = [row - end.row, column - end.column];
    return this.#face(Math.abs(down) > Math.abs(across) ? (down < 0 ? 0 : 2) : across > 0 ? 1 : 3);
  }

  /** Return the chosen piece's shortest way to a square, or null if the square is out of reach. */
  #route(row, column) {
    const ways = this.#reach();
    return ways.get(this.grid.square(column, row)) ?? null;
  }

  /** Return every square that the chosen piece can reach, with the steps to it. */
  #reach() {
    const piece = this.chosen;
    const {row, column} = this.own[piece];
    const ways = new Map([[this.grid.square(column, row), []]]);
    for (const [square, steps] of ways) { // it grows while it is read
      if (steps.length === this.most[piece]) continue;
      const {x, y} = this.grid.place(square);
      this.vectors.forEach(([dr, dc], way) => {
        const next = this.grid.square(x + dc, y + dr);
        if (this.#isFree(piece, y + dr, x + dc) && !ways.has(next)) ways.set(next, [...steps, way]);
      });
    }
    return ways;
  }

  answer() {
    const action = {};
    this.own.forEach(({way}, piece) => {
      const plan = this.plan[piece];
      const moves = plan.moves.map((step) => this.vectors[step]);
      action[PARTS[piece]] = {moves, direction: this.vectors[plan.way ?? way]};
    });
    return action;
  }

  /** Draw the plan: squares in reach, each piece's way and final direction. */
  overlay(ctx, scene) {
    if (scene.progress < 1) return;
    const {player} = this.matchInfo;
    const color = scene.colors[player];
    ctx.fillStyle = color;
    ctx.globalAlpha = 0.55;
    for (const square of this.#reach().keys()) {
      ctx.beginPath();
      const {x, y} = this.grid.place(square);
      ctx.arc(x + 0.5, y + 0.5, 0.09, 0, 7);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
    for (const piece of [0, 1]) if (this.own[piece].alive) this.#drawPlan(ctx, piece, color, scene.theme);
  }

  #drawPlan(ctx, piece, color, theme) {
    const path = this.#path(piece);
    const end = path.at(-1);
    const way = this.plan[piece].way ?? this.own[piece].way;
    ctx.strokeStyle = color;
    ctx.lineCap = ctx.lineJoin = "round";
    ctx.lineWidth = 0.16;
    ctx.setLineDash([0.02, 0.26]);
    ctx.beginPath();
    path.forEach(({row, column}) => ctx.lineTo(column + 0.5, row + 0.5));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.translate(end.column + 0.5, end.row + 0.5);
    if (path.length > 1) {
      ctx.fillStyle = color;
      ctx.globalAlpha = 0.5;
      ctx.beginPath();
      ctx.arc(0, 0, 0.32, 0, 7);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    if (piece === this.chosen) {
      ctx.strokeStyle = theme.accent;
      ctx.lineWidth = 0.09;
      ctx.beginPath();
      ctx.arc(0, 0, 0.6, 0, 7);
      ctx.stroke();
    }
    ctx.rotate((way * Math.PI) / 2);
    ctx.fillStyle = theme.ink;
    ctx.beginPath(); // where it will look
    ctx.moveTo(0, -0.86);
    ctx.lineTo(0.22, -0.6);
    ctx.lineTo(-0.22, -0.6);
    ctx.fill();
    ctx.rotate((-way * Math.PI) / 2);
    ctx.translate(-end.column - 0.5, -end.row - 0.5);
  }

  status() {
    const {timer, circles} = this.sight.frame;
    const inDanger = timer === 1 && this.own.some(({alive}, piece) => {
      const {row, column} = this.#end(piece);
      return alive && this.grid.ring(column, row) <= circles;
    });
    const left = (piece) => (this.own[piece].alive ? stepsLeft(this.most[piece] - this.plan[piece].moves.length) : "dead");
    const button = (piece) => ({press: String(piece + 1), label: this.words[piece], pressed: this.chosen === piece});
    return {
      headline: inDanger ? "You stand where the map falls!" : `Plan your ${this.words[this.chosen]}`,
      alarm: inDanger,
      rows: [
        ["spotter", left(0), !this.own[0].alive],
        ["assassin", left(1), !this.own[1].alive],
        ["next ring falls", timer === 1 ? "after this round" : `in ${timer} rounds`, timer === 1],
        ["enemies in sight", this.enemies, this.enemies > 0],
      ],
      notice: this.news,
      buttons: [
        button(0), button(1),
        {press: "f", label: "Turn only", pressed: this.turning},
        {press: "Enter", label: "Confirm", first: true},
      ],
    };
  }
}

const stepsLeft = (n) => `${n} ${n === 1 ? "step" : "steps"} left`;
