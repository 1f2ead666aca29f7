// Squares of a torus or a box, for pictures, people's pages and the viewer itself: what koth's grid.py is for rules.

/** The eight ways and their steps, x to the east, y to the south. */
const WAYS = {N: [0, -1], NE: [1, -1], E: [1, 0], SE: [1, 1], S: [0, 1], SW: [-1, 1], W: [-1, 0], NW: [-1, -1]};
const NAMES = {N: "NORTH", NE: "NORTHEAST", E: "EAST", SE: "SOUTHEAST", S: "SOUTH", SW: "SOUTHWEST", W: "WEST", NW: "NORTHWEST"};

/** A distance along an edge of a torus, the short way round. */
export function short(way, side) {
  if (2 * way > side) return way - side;
  return 2 * way < -side ? way + side : way;
}

export class Grid {
  ways = WAYS;
  names = NAMES;

  /** @param {{width: number, height?: number, wraps?: boolean}} board  as a picture's `board` has it */
  constructor({width, height = width, wraps = false}) {
    this.width = width;
    this.height = height;
    this.wraps = wraps;
  }

  /** A place, put back onto the board if it wraps. */
  at(x, y) {
    return {x: this.#along(x, this.width), y: this.#along(y, this.height)};
  }

  #along(at, side) {
    return this.wraps ? ((at % side) + side) % side : at;
  }

  /** The number of the square there, row by row; -1 off the board. */
  square(x, y) {
    const [column, row] = [this.#along(x, this.width), this.#along(y, this.height)];
    const isOn = column >= 0 && column < this.width && row >= 0 && row < this.height;
    return isOn ? row * this.width + column : -1;
  }

  /** Where the square of this number is. */
  place(square) {
    return {x: square % this.width, y: Math.floor(square / this.width)};
  }

  /**
   * How far it is from one place to another, [dx, dy], on a torus the short way round.
   * @returns {[number, number]}
   */
  between(from, to) {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    return this.wraps ? [short(dx, this.width), short(dy, this.height)] : [dx, dy];
  }

  /** Steps from one place to another, where a step may be diagonal. */
  apart(from, to) {
    const [dx, dy] = this.between(from, to);
    return Math.max(Math.abs(dx), Math.abs(dy));
  }

  /** Steps from one place to another, without diagonals. */
  steps(from, to) {
    const [dx, dy] = this.between(from, to);
    return Math.abs(dx) + Math.abs(dy);
  }

  /** The way of the eight that leads from one place towards another; null to itself. */
  towards(from, to) {
    const [dx, dy] = this.between(from, to).map(Math.sign);
    return Object.keys(WAYS).find((way) => WAYS[way][0] === dx && WAYS[way][1] === dy) ?? null;
  }

  /** The place one step that way; the same for null. */
  step({x, y}, way) {
    const [dx, dy] = way ? WAYS[way] : [0, 0];
    return this.at(x + dx, y + dy);
  }

  /** How many squares it is from the edge: 0 for the outermost ring. */
  ring(x, y) {
    return Math.min(x, y, this.width - 1 - x, this.height - 1 - y);
  }

  /** Put a value into all squares within `reach` of (x, y), in both directions; `array` has the board row by row. */
  fill(array, x, y, reach, value) {
    for (let row = y - reach; row <= y + reach; row++) {
      for (let column = x - reach; column <= x + reach; column++) {
        const square = this.square(column, row);
        if (square >= 0) array[square] = value;
      }
    }
  }
}

/** @param {{width: number, height?: number, wraps?: boolean}} board */
export const gridOf = (board) => new Grid(board);

/** Codes by their names, from names by their codes: `{terrain: {wall: 0}}`. */
const codesOf = (names = {}) => Object.fromEntries(Object.entries(names).map(([key, list]) => (
  [key, Object.fromEntries([...list].map((name, code) => [name, code]))])));

/**
 * A match with `grid` and `codes`, for pictures. They can't be enumerated, so a match can still be sent to a worker.
 * @param {any} match
 */
export const withTools = (match) => Object.defineProperties(match, {
  grid: {value: gridOf}, codes: {value: codesOf(match.spec?.codes)},
});
