// Whether a screen with many pixels is more than a page keeps up with.

const SLOW = 32; // milliseconds between frames from which on a fine screen is drawn coarsely while it plays
const FRAMES = 12; // frames in an average

/** While it plays, smoothness goes before sharpness; at rest everything is sharp. */
export class Sharpness {
  #last = 0;
  #gap = 0; // between frames, on the average
  #struggles = false;

  /** Take note of a frame, at `now` milliseconds: whether to draw coarsely. */
  isTooMuch(now, runs) {
    const gap = now - this.#last;
    this.#last = now;
    if (runs && gap < 10 * SLOW) this.#gap += (gap - this.#gap) / FRAMES;
    else this.#gap = 0;
    if (this.#gap > SLOW) this.#struggles = devicePixelRatio > 1;
    return this.#struggles && runs;
  }
}
