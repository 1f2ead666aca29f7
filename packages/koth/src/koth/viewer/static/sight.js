// What the seat of a person knows of the board: the frame that it sees, the squares that it remembers, where it is.

import {hasSight, visibleSquares} from "./eyes.js";

export const COVERED = 0;
export const REMEMBERED = 1;
export const IN_VIEW = 2;

export class Sight {
  frame = null;
  previous = null; // the frame at the question before
  known = new Uint8Array(0); // by square: COVERED, REMEMBERED or IN_VIEW
  groundKey = 0; // goes up when more of the ground is known
  center = null; // what the view follows, {x, y}
  cameFrom = null;

  /** @param {import("./draw.js").Match} match  with the person's match info as its `facts` */
  constructor(match) {
    this.match = match;
  }

  /** A frame has come: squares out of sight are as they were when they were seen last. */
  see(frame) {
    const {match} = this;
    const {squares = {}, ground = {}} = match.spec;
    const seen = hasSight(match) ? visibleSquares(match, frame, match.facts.seat) : null;
    for (const name of seen && this.frame ? [...Object.keys(squares), ...Object.keys(ground)] : []) {
      const before = this.frame[name];
      frame[name] = frame[name].map((value, k) => (seen[k] ? value : before[k]));
      if (name in ground && frame[name].some((value, k) => value !== before[k])) this.groundKey++;
    }
    this.known = seen
      ? seen.map((isSeen, k) => (isSeen ? IN_VIEW : Math.min(this.known[k] ?? COVERED, REMEMBERED)))
      : new Uint8Array(0);
    this.previous = this.frame;
    this.frame = frame;
  }

  /** Follow this place, on the way there from where the view was. */
  follow(place, from = this.center ?? place) {
    this.cameFrom = from;
    this.center = place;
  }
}
