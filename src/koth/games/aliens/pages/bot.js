// A first bot: walks up to prey, and fights what looks weaker.
//
// What it is told and may answer stands in koth.js. What you print goes to stderr, which koth keeps for you.

const koth = require("./koth.js");

// By the signs of a step's x and y, each 1 more.
/** @type {koth.Move[][]} */
const MOVES = [
  ["NORTHWEST", "WEST", "SOUTHWEST"],
  ["NORTH", "STAY", "SOUTH"],
  ["NORTHEAST", "EAST", "SOUTHEAST"],
];

class Mine {
  /** @param {koth.Hello} hello */
  constructor({ seed }) {
    this.random = koth.random(seed); // all our luck from here: then a match can be played again
  }

  /**
   * Life, strength, defense, vision, cleverness: at most 10 together, for each of our 100 instances.
   * @param {koth.PointsQuestion} question
   * @returns {koth.PointsAnswer}
   */
  answerPoints({ instances }) {
    return { points: Object.fromEntries(instances.map((number) => [number, [3, 4, 0, 3, 0]])) };
  }

  /**
   * Asked every round: where does each go?
   * @param {koth.MoveQuestion} question
   * @returns {koth.MoveAnswer}
   */
  answerMove({ aliens }) {
    return { moves: Object.fromEntries(aliens.map((alien) => [alien.number, this.move(alien)])) };
  }

  /**
   * Asked at every meeting: who wants to fight?
   * @param {koth.MeetQuestion} question
   * @returns {koth.MeetAnswer}
   */
  answerMeet({ aliens }) {
    return { fights: Object.fromEntries(aliens.map((alien) => [alien.number, this.fights(alien)])) };
  }

  /**
   * fields[sight][sight] is where we stand, fields[sight + 1][sight] the square to the east.
   * @param {koth.Alien} alien
   */
  move({ fields, sight }) {
    for (let x = 0; x < fields.length; x++) {
      for (let y = 0; y < fields.length; y++) {
        if ("WTEH".includes(fields[x][y]) && (x !== sight || y !== sight)) {
          return MOVES[1 + Math.sign(x - sight)][1 + Math.sign(y - sight)];
        }
      }
    }
    return MOVES[Math.floor(this.random() * 3)][Math.floor(this.random() * 3)];
  }

  /** @param {koth.Meeting} alien */
  fights({ levels, enemy }) {
    const [life, strength] = enemy; // each may look higher than it is
    return strength < levels[1] && life < 10;
  }
}

koth.play((hello) => new Mine(hello));
