// Aliens for a person: one instance is under control, the others of the species follow its orders.

const WORTH = [2, 1.2, 0.6, 1, 1.5]; // how well a meal of each prey pays for its danger
const BUILDS = {
  1: ["Even", [0.2, 0.2, 0.2, 0.2, 0.2]],
  2: ["Fighters", [0.3, 0.5, 0.1, 0.1, 0]],
  3: ["Tough", [0.5, 0.2, 0.3, 0, 0]],
  4: ["Far-sighted", [0.2, 0.3, 0, 0.5, 0]],
};
const ORDERS = {h: "hunt prey", r: "run from aliens", s: "stay"};
const FIGHTS = {f: "fight", p: "keep the peace", v: "fight the weaker"};

export const play = {
  title: "Aliens",
  pace: 0,
  pad: 8,
  squares: 9,
  fog: [0.85, 0.85],
  middle: "•",
  taken: [...Object.keys(BUILDS), ...Object.keys(ORDERS), "f", "p", "v", "Tab", " ", "."],
  goal: [
    "You are a species. First choose how all of yours divide their points: life, strength, defense, sight, cleverness.",
    "You lead one of them; the others follow your order: hunt prey, run from aliens, or stay.",
    "Who shares a square meets. Who kills inherits a fifth of what its enemy was.",
    "At the end the species wins whose survivors are the most able together.",
  ],
  keys: [
    [["←", "↑", "→", "↓"], "a step (or Q W E, A D, Z X C for all eight; or swipe)"],
    [["."], "stay where you are (or space)"],
    [["1", "2", "3", "4"], "how points are divided, before the first round"],
    [["H", "R", "S"], "the others hunt prey, run from aliens, stay"],
    [["F", "P", "V"], "whoever of yours meets somebody fights, keeps the peace, fights only the weaker"],
    [["Tab"], "lead another one"],
  ],
  lessons: [
    "Choose what all of yours are good at (1 to 4). Then step onto prey: ovals are whales, squares cows, triangles eagles.",
    "You fight whoever you meet, while F is on. Watch your HP: it grows when you win.",
    "H lets the others hunt, too. Tab leads another of yours.",
  ],
};

export class Player {
  constructor(sight) {
    this.sight = sight;
    this.matchInfo = sight.match.facts;
    this.grid = sight.match.grid({width: this.matchInfo.side, wraps: true});
    this.ways = [...Object.keys(this.grid.ways), null];
    this.letters = this.matchInfo.prey.map(([letter]) => letter);
    this.aliens = [];
    this.lead = null;
    this.build = "1";
    this.order = "h";
    this.fights = "v";
    this.choice = null;
    this.asked = "points";
    this.round = 0;
    this.news = "";
  }

  /** Meetings are settled by the standing order: nobody has to be asked. */
  isDecided = ({question}) => question === "meet";

  see({question, instances, aliens}) {
    this.asked = question;
    this.news = "";
    if (question === "move") this.#look(aliens);
    else if (question === "meet") this.meetings = aliens;
    else {
      this.instances = instances;
      this.sight.follow(this.#placeOf(instances[0]));
    }
  }

  /** Return the square of an own instance. */
  #placeOf(number) {
    const {frame} = this.sight;
    const slot = this.matchInfo.seat * this.matchInfo.instances + number;
    return {x: frame.x[slot], y: frame.y[slot]};
  }

  #look(aliens) {
    this.round += 1;
    const lost = this.aliens.length - aliens.length;
    this.aliens = aliens;
    this.choice = null;
    if (lost > 0) this.news = `${lost} of yours fell`;
    const before = this.lead;
    if (!this.leader && aliens.length) {
      this.lead = aliens.reduce((best, one) => (one.hp > best.hp ? one : best)).number;
      if (before !== null) this.news = "Yours was killed in a fight. You lead another one.";
    }
    if (!this.leader) return;
    const place = this.#placeOf(this.lead);
    this.sight.follow(place, before === this.lead ? this.sight.center : place);
  }

  get leader() {
    return this.aliens.find(({number}) => number === this.lead);
  }

  act({go, face, tap, press}) {
    const key = press?.toLowerCase();
    if (this.asked === "points") {
      if (key in BUILDS) this.build = key;
      else return null;
      return "done";
    }
    if (key in ORDERS) this.order = key;
    else if (key in FIGHTS) this.fights = key;
    else if (press === "Tab") this.#leadNext();
    else return this.#step(go ?? face ?? (tap && (this.grid.towards(this.sight.center, tap) ?? ".")), key);
    return "changed";
  }

  #step(way, key) {
    if (!way && key !== " " && key !== ".") return null;
    this.choice = way ?? ".";
    return "done";
  }

  #leadNext() {
    const at = this.aliens.findIndex(({number}) => number === this.lead);
    this.lead = this.aliens[(at + 1) % this.aliens.length].number;
    this.choice = null;
    const place = this.#placeOf(this.lead);
    this.sight.follow(place, place);
  }

  answer() {
    if (this.asked === "points") {
      const points = BUILDS[this.build][1].map((part) => Math.floor(part * this.matchInfo.points));
      return {points: Object.fromEntries(this.instances.map((number) => [number, points]))};
    }
    if (this.asked === "meet") {
      return {fights: Object.fromEntries(this.meetings.map((alien) => [alien.number, this.#wants(alien)]))};
    }
    const moves = this.aliens.map((alien) => {
      const own = alien.number === this.lead ? this.choice : null;
      const way = own === "." ? null : own ?? this.#ownSense(alien);
      return [alien.number, way ? this.grid.names[way] : "STAY"];
    });
    return {moves: Object.fromEntries(moves)};
  }

  /** Return whether to fight by the order; the weaker one would fall first if all blows were average. */
  #wants({hp, levels, enemy}) {
    if (this.fights !== "v") return this.fights === "f";
    const [life, strength] = enemy;
    const theirs = this.matchInfo.base_hp + this.matchInfo.hp_per_life * (life - 1);
    return theirs / (levels[1] + 1) < hp / (strength + 1);
  }

  /** Return the move of another instance by the order. */
  #ownSense({fields, sight, number}) {
    if (this.order === "s") return null;
    const costs = this.ways.map((way) => {
      const [dx, dy] = way ? this.grid.ways[way] : [0, 0];
      return this.#price(fields, sight, dx, dy) + (way ? 0 : 0.3);
    });
    const least = Math.min(...costs);
    const ways = this.ways.filter((_, k) => costs[k] <= least + 1e-9);
    return ways[(number + this.round) % ways.length];
  }

  #price(fields, sight, dx, dy) {
    let price = 0;
    fields.forEach((column, i) => {
      [...column].forEach((letter, j) => {
        const away = Math.max(Math.abs(i - sight - dx), Math.abs(j - sight - dy));
        if (letter === " " || (i === sight && j === sight)) return;
        if (letter === "A") price += (this.order === "r" ? 4 : 1) / (1 + away) ** 2;
        else if (this.order === "h") price -= WORTH[this.letters.indexOf(letter)] / (1 + away);
      });
    });
    return price;
  }

  status() {
    if (this.asked === "points") {
      return {
        headline: "How are they to be?",
        rows: BUILDS[this.build][1].map((part, k) => [this.sight.match.spec.codes.ability[k], `+${Math.floor(part * this.matchInfo.points)}`]),
        hint: "Press 1 to 4, or a button.",
        buttons: Object.entries(BUILDS).map(([press, [label]]) => ({press, label, pressed: press === this.build})),
      };
    }
    const {leader} = this;
    return {
      headline: leader ? `You lead number ${this.lead}` : "None of yours is left",
      alarm: !leader,
      rows: [
        ["HP", leader?.hp ?? 0, leader?.hp < 5],
        ...(leader ? leader.levels.map((level, k) => [this.sight.match.spec.codes.ability[k], level]) : []),
        ["of yours alive", `${this.aliens.length} of ${this.matchInfo.instances}`],
        ["rounds left", this.matchInfo.rounds - this.round],
      ],
      hint: `The others ${ORDERS[this.order]}. Who of yours meets somebody will ${FIGHTS[this.fights]}.`,
      notice: this.news,
      buttons: [
        {press: "Tab", label: "Lead another"},
        ...Object.entries(ORDERS).map(([press, label]) => ({press, label, pressed: press === this.order})),
        ...Object.entries(FIGHTS).map(([press, label]) => ({press, label, pressed: press === this.fights})),
      ],
    };
  }
}
