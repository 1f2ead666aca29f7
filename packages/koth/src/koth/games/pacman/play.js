// Pac-Man for a person: the seat's lines, remembered, and the next move.

const WAYS = ["N", "E", "S", "W"];

export const play = {
  title: "Programmin' Pac-Man",
  pace: 4,
  pad: 4,
  squares: 15,
  fog: [0.66, 0.42],
  middle: "■",
  taken: ["n", "e", "s", "w", "x", " ", "."],
  goal: [
    "You are the one that the view follows. Eat pellets ({pellet_points}), power pellets ({power_points}) and fruit ({fruit_points}), and keep away from ghosts.",
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

export class Player {
  constructor(sight) {
    this.sight = sight;
    this.matchInfo = sight.match.facts;
    this.grid = sight.match.grid({width: this.matchInfo.side, wraps: true});
    this.turn = 0;
    this.ask = {self: "X"};
    this.heading = null; // where it goes on until told otherwise
    this.wanted = null; // where it turns as soon as it can
    this.news = "";
  }

  /** Take in a question: the piece's square, its state and the squares in sight. */
  see(ask) {
    this.turn++;
    this.news = "";
    if (ask.self === "G" && this.ask.self !== "G" && this.turn > 1) {
      this.news = "Caught! You go on as a ghost.";
      this.heading = this.wanted = null;
    }
    this.ask = ask;
    this.sight.follow({x: ask.col, y: ask.row});
  }

  #isOpen(way) {
    const digit = parseInt(this.matchInfo.walls[this.ask.row * this.matchInfo.side + this.ask.col], 16);
    return !((digit >> WAYS.indexOf(way)) & 1);
  }

  /** Run a command; return "done" if the turn can end, "changed", or null for no effect. */
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

  /** Return the direction of a tapped square, the short way round. */
  #towards(tap) {
    if (!tap) return null;
    const [dx, dy] = this.grid.between(this.sight.center, tap);
    if (dx === 0 && dy === 0) return null;
    const [across, down] = [dx > 0 ? "E" : "W", dy > 0 ? "S" : "N"];
    const ranked = Math.abs(dx) > Math.abs(dy) ? [across, down] : [down, across];
    const useful = ranked.filter((way) => (way === across ? dx : dy) !== 0);
    return useful.find((way) => this.#isOpen(way)) ?? useful[0];
  }

  /** Return the next move: the wanted turn as soon as it is open, until then straight on. */
  answer() {
    if (this.wanted && this.#isOpen(this.wanted)) {
      this.heading = this.wanted;
      this.wanted = null;
    }
    return {move: this.heading && this.#isOpen(this.heading) ? this.heading : "X"};
  }

  status() {
    const {frame, match: {facts: {seat, turns, ghost_sight: far}}} = this.sight;
    const dead = this.ask.self === "G";
    const invincible = frame.invincible[seat];
    const blocked = this.heading && !this.#isOpen(this.heading);
    const usual = dead ? `You see ${far} squares around you, walls or no walls. Step onto a Pac-Man to catch it.` : "";
    const ghosts = this.ask.seen.filter(([, , what]) => what === "G").length;
    return {
      headline: dead ? "You are a ghost" : invincible ? `Invincible: ${invincible}` : "You are Pac-Man",
      rows: [
        ["points", frame.score[seat]],
        // A ghost that was eaten sits out turns that nobody tells it of.
        [dead ? "turns left, at most" : "turns left", Math.max(turns - this.turn + 1, 0)],
        ["ghosts in sight", ghosts, ghosts > 0 && !dead && !invincible],
      ],
      hint: blocked ? "A wall: you stand still until you choose another way." : usual,
      notice: this.news,
    };
  }
}
