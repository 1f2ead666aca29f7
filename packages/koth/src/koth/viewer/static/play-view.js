// The board as one seat knows it: the game's picture of what it received, and fog over what is not seen.

import {patternOf} from "./colors.js";
import {gridOf, withTools} from "./grid.js";
import {COVERED, REMEMBERED} from "./sight.js";
import {Stage} from "./stage.js";

const MOST_SQUARES = 48; // squares in view then
const SMALLEST = 22; // CSS pixels of a square below which the view follows the person instead of showing all

export class View {
  #began = 0;
  #length = 0;
  #asked = 0;
  #look = 0;
  #fog = null;
  #closeUp = null; // squares in view when following; null: the whole board

  /** `picture` is the game's draw.js, `play` what its play.js declares, `player` the person's plan. */
  constructor(canvas, picture, play, player, sight) {
    this.picture = picture;
    this.play = play;
    this.player = player;
    this.sight = sight;
    const draw = (ctx, scene) => this.#draw(ctx, scene);
    this.stage = new Stage(canvas, {board: picture.board, draw});
    this.stage.onResize = () => {
      this.#fit();
      this.redraw();
    };
  }

  restyle(theme, colors) {
    this.theme = theme;
    this.colors = colors;
    this.#look++;
    this.#fog = null;
    this.redraw();
  }

  /** Show the player's new frame, moving to it for this many seconds. */
  show(seconds) {
    const first = this.#length === 0 && this.#began === 0;
    this.#fog = null;
    this.#began = performance.now();
    this.#length = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 1000 * seconds;
    if (first) this.#fit();
    this.redraw();
  }

  redraw() {
    if (this.sight.frame && !this.#asked) this.#asked = requestAnimationFrame((now) => this.#paint(now));
  }

  zoom(factor) {
    const {canvas} = this.stage;
    const {width, height} = this.#board;
    const ratio = canvas.clientWidth / canvas.clientHeight;
    const whole = Math.max(width, height * ratio);
    const now = this.#closeUp ?? whole;
    const next = now / factor;
    this.#closeUp = next >= whole ? null : Math.max(next, 7);
    this.redraw();
  }

  pointAt(clientX, clientY) {
    return this.sight.frame ? this.stage.pointAt(clientX, clientY) : null;
  }

  get #board() {
    return this.picture.board(this.sight.match, this.sight.frame);
  }

  /** Begin with the whole board, or close up where its squares would be too small. */
  #fit() {
    if (!this.sight.frame) return;
    const {canvas} = this.stage;
    const {width, height} = this.#board;
    const square = Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
    const most = Math.min(Math.max(canvas.clientWidth, canvas.clientHeight) / SMALLEST, MOST_SQUARES);
    const isTooSmall = square < SMALLEST && most < Math.max(width, height);
    this.#closeUp = isTooSmall ? Math.max(most, this.play.squares) : null;
  }

  #paint(now) {
    this.#asked = 0;
    const {sight, stage, theme, colors} = this;
    if (!stage.canvas.width || !theme) return;
    const done = this.#length ? Math.min(1, (now - this.#began) / this.#length) : 1;
    stage.board = {wraps: false, reach: 1, ...this.#board};
    stage.reset();
    if (this.#closeUp) stage.zoomTo(this.#closeUp);
    else if (stage.board.wraps) stage.zoomBy(1.002); // only just: a whole board without edges, with the person in its middle
    stage.lookAt(this.#middle(done));
    const previous = done < 1 ? sight.previous : null;
    const progress = previous ? done : 1;
    const match = withTools({...sight.match, seed: sight.groundKey}); // pictures keep what is painted for a seed
    const patterns = colors.map((_, team) => (team < match.bots.length ? patternOf(team) : 0));
    const {frame} = sight;
    const shot = {match, frame, previous, progress, colors, patterns, theme, focus: null, look: this.#look};
    stage.draw(shot);
    if (done < 1) this.redraw();
  }

  /** Where the person is just now, in squares. */
  #middle(done) {
    const {center, cameFrom} = this.sight;
    const from = cameFrom ?? center;
    const [dx, dy] = gridOf(this.#board).between(from, center);
    const part = Math.max(Math.abs(dx), Math.abs(dy)) > 6 ? 1 : done;
    return {x: from.x + dx * part + 0.5, y: from.y + dy * part + 0.5};
  }

  #draw(ctx, scene) {
    ctx.save();
    this.picture.draw(ctx, scene);
    ctx.restore();
    const {width, height} = this.#board;
    this.#fog ??= this.#paintFog(width, height);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.#fog, 0, 0, width, height);
    ctx.save();
    this.picture.drawAboveFog?.(ctx, scene);
    ctx.restore();
    ctx.save();
    this.player.overlay?.(ctx, scene);
    ctx.restore();
  }

  /** A pixel per square out of sight: covered, or remembered. */
  #paintFog(width, height) {
    const picture = new OffscreenCanvas(width, height);
    const ctx = picture.getContext("2d");
    const {known} = this.sight;
    ctx.fillStyle = this.theme.fog;
    for (const level of [COVERED, REMEMBERED]) {
      ctx.globalAlpha = this.play.fog[level];
      for (let k = 0; k < known.length; k++) {
        if (known[k] === level) ctx.fillRect(k % width, Math.floor(k / width), 1, 1);
      }
    }
    return picture;
  }
}
