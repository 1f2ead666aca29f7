// Zombies for a person: one of the players is under control, the others look after themselves.

const NEAR = 3; // a zombie at this distance is shot at, if there is a bullet
const apart = (dx, dy) => Math.max(Math.abs(dx), Math.abs(dy));

export const play = {
  title: "Save The Last Bullet For Yourself",
  pace: 0,
  pad: 8,
  squares: 21,
  fog: [0.9, 0.9],
  taken: ["s", ".", " ", "f", "g", "Tab"],
  goal: [
    "You lead one of your bot's players (it has a ring). The others look after themselves, and stay near you if you like.",
    "Whoever stands next to a zombie when a turn begins becomes one. A zombie goes one step a turn, towards who is nearest.",
    "A shot costs a bullet, reaches {shoot_range} squares, and never misses. Bodies give their bullets to those who stand beside them.",
    "You live as long as one of yours does. Outlive the others.",
  ],
  keys: [
    [["←", "↑", "→", "↓"], "a step (or Q W E, A D, Z X C for all eight; or swipe)"],
    [["S"], "stay"],
    [["space"], "shoot the zombie nearest to you"],
    [["click"], "somebody: shoot; one of yours: lead that one; else: a step that way"],
    [["Tab"], "lead another one"],
    [["F"], "the others follow you, or keep to themselves"],
    [["G"], "the others shoot at strangers, too, or at zombies only"],
    [["P"], "pause, where turns do not wait"],
  ],
  lessons: [
    "The one with the ring is yours. Step with the arrows; two squares around you must be free of zombies.",
    "A zombie is near? Space shoots the nearest within five squares. Bullets are few: step away first.",
    "Bodies hold bullets: stand beside one to get them.",
    "Tab leads another of yours; F lets the others follow you.",
  ],
};

export class Player {
  constructor(sight) {
    this.sight = sight;
    this.matchInfo = sight.match.facts;
    this.grid = sight.match.grid({width: this.matchInfo.side, wraps: true});
    this.moves = [["STAY", 0, 0], ...Object.entries(this.grid.names).map(([way, name]) => [name, ...this.grid.ways[way]])];
    this.players = [];
    this.lead = null; // the number of the player under control
    this.choice = null; // what it does: a move's name, or {shoot}
    this.follow = true;
    this.fights = true;
    this.news = "";
  }

  see({clock, players}) {
    this.news = "";
    const alive = new Set(players.map(({number}) => number));
    const lost = this.players.filter(({number}) => !alive.has(number));
    this.clock = clock;
    this.players = players;
    this.choice = null;
    this.#findLead(lost);
    this.sight.follow({x: this.leader.x, y: this.leader.y});
  }

  get leader() {
    return this.players.find(({number}) => number === this.lead);
  }

  /** Find the leader: the same player as before, or the one nearest to where it fell. */
  #findLead(lost) {
    if (this.leader) {
      this.news = lost.map((player) => this.#howItFell(player)).slice(0, 2).join("; ");
      if (lost.length > 2) this.news = `${lost.length} of yours fell: ${this.news} ...`;
      return;
    }
    const fell = this.lead !== null;
    const was = this.lead;
    const from = this.sight.center ?? this.players[0];
    const far = (player) => this.grid.apart(from, player);
    this.lead = this.players.reduce((best, player) => (far(player) < far(best) ? player : best)).number;
    if (fell) {
      const own = lost.find(({number}) => number === was);
      this.news = `${own ? this.#howItFell(own) : "Yours fell"}. You lead another one.`;
    }
  }

  /** Return how a player was lost: bitten if a zombie was near, otherwise shot. */
  #howItFell({number, seen}) {
    const bitten = seen.some(([dx, dy, name]) => name === "Zombie" && apart(dx, dy) <= 2);
    return `number ${number} was ${bitten ? "bitten by a zombie" : "shot"}`;
  }

  /** Draw a ring around the leader, and its action. */
  overlay(ctx, {glide, theme}) {
    const {center: {x, y}, cameFrom} = this.sight;
    const [atX, atY] = glide(x, y, cameFrom.x, cameFrom.y);
    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 0.1;
    ctx.beginPath();
    ctx.arc(atX + 0.5, atY + 0.5, 0.62, 0, 7);
    ctx.stroke();
    if (typeof this.choice === "string") {
      const [, dx, dy] = this.moves.find(([name]) => name === this.choice);
      ctx.beginPath();
      ctx.moveTo(x + 0.5, y + 0.5);
      ctx.lineTo(x + 0.5 + dx, y + 0.5 + dy);
      ctx.stroke();
    }
  }

  act(command) {
    if (!this.leader) return null;
    const {press, tap} = command;
    const way = command.go ?? command.face;
    if (way) return this.#choose(this.grid.names[way]);
    if (tap) return this.#tapped(tap);
    if (press === "s" || press === ".") return this.#choose("STAY");
    if (press === " ") return this.#shootNearest();
    if (press === "Tab") return this.#leadNext();
    if (press === "f") {
      this.follow = !this.follow;
      return "changed";
    }
    if (press === "g") {
      this.fights = !this.fights;
      return "changed";
    }
    return null;
  }

  #choose(choice) {
    this.choice = choice;
    return "done";
  }

  #tapped({x, y}) {
    const {leader} = this;
    const {frame, match: {codes: {kind: {body}}}} = this.sight;
    const own = this.players.find((player) => player.x === x && player.y === y);
    if (own && own !== leader) return this.#take(own.number);
    const who = frame.x.findIndex((column, k) => column === x && frame.y[k] === y);
    const reach = this.grid.apart(leader, {x, y}) <= this.matchInfo.shoot_range && leader.bullets > 0;
    if (who >= 0 && !own && frame.kind[who] !== body && reach) return this.#choose({shoot: this.#nameOf(who)});
    return this.#choose(this.grid.names[this.grid.towards(leader, {x, y})] ?? "STAY");
  }

  /** Return name and number of an actor of the frame. */
  #nameOf(who) {
    const {frame, match} = this.sight;
    const isZombie = frame.kind[who] === match.codes.kind.zombie;
    return [isZombie ? "Zombie" : this.matchInfo.names[frame.seat[who]], frame.number[who]];
  }

  #shootNearest() {
    const {frame, match} = this.sight;
    const far = (who) => this.grid.apart(this.leader, {x: frame.x[who], y: frame.y[who]});
    const zombies = [...frame.kind.keys()].filter((who) => (
      frame.kind[who] === match.codes.kind.zombie && far(who) <= this.matchInfo.shoot_range));
    this.news = !this.leader.bullets ? "No bullets left" : zombies.length ? "" : "No zombie in reach";
    if (this.news) return "changed";
    return this.#choose({shoot: this.#nameOf(zombies.reduce((best, who) => (far(who) < far(best) ? who : best)))});
  }

  #leadNext() {
    const at = this.players.findIndex(({number}) => number === this.lead);
    return this.#take(this.players[(at + 1) % this.players.length].number);
  }

  #take(number) {
    this.lead = number;
    this.choice = null;
    const place = {x: this.leader.x, y: this.leader.y};
    this.sight.follow(place, place);
    return "changed";
  }

  /** Return all moves: the leader's as chosen; the others', and an undecided leader's, are computed. */
  answer() {
    const moves = {};
    const claimed = new Set();
    const taken = new Set();
    const order = [this.leader, ...this.players.filter(({number}) => number !== this.lead)];
    for (const player of order) {
      const own = player.number === this.lead ? this.choice : null;
      moves[player.number] = own ?? this.#ownSense(player, claimed, taken);
    }
    return {moves};
  }

  /** Shoot a near zombie that no other player targets, else step where the fewest zombies are, near the leader. */
  #ownSense(player, claimed, taken) {
    const zombies = player.seen.filter(([, , name]) => name === "Zombie");
    if (player.bullets > 0) {
      const near = player.seen.filter((who) => this.#isTarget(who) && !claimed.has(who[3]));
      if (near.length) {
        const [, , name, number] = near.reduce((a, b) => (apart(b[0], b[1]) < apart(a[0], a[1]) ? b : a));
        claimed.add(number);
        return {shoot: [name, number]};
      }
    }
    let [best, cost] = ["STAY", Infinity];
    for (const [name, dx, dy] of this.moves) {
      const price = this.#price(player, zombies, taken, dx, dy);
      if (price < cost) [best, cost] = [name, price];
    }
    const [, dx, dy] = this.moves.find(([name]) => name === best);
    taken.add(this.grid.square(player.x + dx, player.y + dy));
    return best;
  }

  #isTarget([dx, dy, name]) {
    if (name === "Zombie") return apart(dx, dy) <= NEAR;
    const stranger = name !== "DeadBody" && name !== this.matchInfo.names[this.matchInfo.seat];
    return this.fights && stranger && apart(dx, dy) <= this.matchInfo.shoot_range;
  }

  /** Return the cost of a step: zombies near, no space, too far from the leader or too near. */
  #price(player, zombies, taken, dx, dy) {
    const {x, y, seen, number} = player;
    let price = dx || dy ? 0.2 : 0;
    for (const [zx, zy] of zombies) price += 3000 / 6 ** apart(zx - dx, zy - dy);
    if ((dx || dy) && seen.some(([sx, sy]) => sx === dx && sy === dy)) price += 8;
    if (taken.has(this.grid.square(x + dx, y + dy))) price += 8;
    if (this.follow && number !== this.lead) {
      const far = this.grid.apart({x: x + dx, y: y + dy}, this.leader);
      price += far > 4 ? far : far < 2 ? 2 : 0;
    }
    return price;
  }

  status() {
    const {bullets, seen} = this.leader;
    const danger = seen.some(([dx, dy, name]) => name === "Zombie" && apart(dx, dy) <= 2);
    return {
      headline: danger ? "A zombie is upon you!" : `You lead number ${this.lead}`,
      alarm: danger,
      rows: [
        ["bullets", bullets, bullets === 0],
        ["of yours alive", `${this.players.length} of ${this.matchInfo.players}`],
        ["score, if you fall now", this.clock],
      ],
      notice: this.news,
      buttons: [
        {press: " ", label: `Shoot (${bullets})`, first: true},
        {press: "Tab", label: "Lead another"},
        {press: "f", label: "Follow me", pressed: this.follow},
        {press: "g", label: "Fire at will", pressed: this.fights},
      ],
    };
  }
}
