// Mouse and fingers on the board: hover, follow, zoom, move.

const TAP = 6; // CSS pixels that a pointer may move and still have only tapped

export class Pointer {
  #down = new Map();
  #moved = 0;

  /** `on`: {hover(clientX, clientY), leave(), tap(clientX, clientY), change()}. */
  constructor(stage, on) {
    this.stage = stage;
    this.on = on;
    const {canvas} = stage;
    canvas.addEventListener("pointerdown", (event) => this.#press(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#release(event));
    canvas.addEventListener("pointercancel", (event) => this.#forget(event));
    canvas.addEventListener("pointerleave", () => on.leave());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      stage.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX, event.clientY);
      on.change();
    }, {passive: false});
  }

  #press(event) {
    if (event.button !== 0) return;
    if (this.#down.size === 0) this.#moved = 0;
    this.#down.set(event.pointerId, {x: event.clientX, y: event.clientY});
    this.stage.canvas.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const before = this.#down.get(event.pointerId);
    if (!before) {
      this.on.hover(event.clientX, event.clientY);
      return;
    }
    const now = {x: event.clientX, y: event.clientY};
    const other = [...this.#down.entries()].find(([id]) => id !== event.pointerId)?.[1];
    this.#moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (other) {
      const grown = distance(now, other) / Math.max(distance(before, other), 1);
      this.stage.zoomBy(grown, (now.x + other.x) / 2, (now.y + other.y) / 2);
    }
    const share = other ? 0.5 : 1;
    this.stage.panBy((now.x - before.x) * share, (now.y - before.y) * share);
    this.#down.set(event.pointerId, now);
    this.stage.canvas.classList.toggle("dragging", this.#moved > TAP);
    this.on.leave();
    this.on.change(this.#moved > TAP);
  }

  #release(event) {
    const tapped = this.#down.size === 1 && this.#moved <= TAP;
    if (this.#forget(event) && tapped) this.on.tap(event.clientX, event.clientY);
  }

  #forget(event) {
    const was = this.#down.delete(event.pointerId);
    this.stage.canvas.classList.remove("dragging");
    return was;
  }
}

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
