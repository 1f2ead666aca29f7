// The interface for a game's draw.js: the frames, and ways to put sprites and layers on the squares in view.

import {paintPattern} from "./colors.js";
import {Crowd} from "./crowd.js";
import {Grid, short} from "./grid.js";

const LARGEST = 16e6; // pixels of a layer that is kept as a picture; larger ones are painted again each time
const LAYERS = 6;
const MARGIN = 0.25; // squares around a sprite's own that it may stick out into
const LARGE = 20; // device pixels of a square from which on a sprite is drawn sooner than its pixels are copied

/** Sprites and layers painted for one zoom, theme and set of colours. */
export class Pictures {
  #sprites = new Map();
  #layers = new Map();
  #key = "";
  #crowds = new Map(); // one for each copy of the board: none is written to after it was put on the canvas

  /** Forget everything if the zoom or the look has changed. */
  use(size, look) {
    const key = `${size} ${look}`;
    if (key === this.#key) return;
    this.#key = key;
    this.#sprites.clear();
    this.#layers.clear();
  }

  /** The crowd of one copy of the board. */
  crowd(copy) {
    if (!this.#crowds.has(copy)) this.#crowds.set(copy, new Crowd());
    return this.#crowds.get(copy);
  }

  sprite(key, size, paint) {
    let sprite = this.#sprites.get(key);
    if (!sprite) {
      const square = Math.max(1, Math.round(size));
      const margin = Math.ceil(square * MARGIN);
      const picture = new OffscreenCanvas(square + 2 * margin, square + 2 * margin);
      const ctx = picture.getContext("2d");
      ctx.translate(margin, margin);
      ctx.scale(square, square);
      paint(ctx);
      const side = picture.width;
      sprite = {...pixelsOf(ctx, side), margin, side, picture: picture.transferToImageBitmap()};
      this.#sprites.set(key, sprite);
    }
    return sprite;
  }

  /** The layer as a picture, or null when it would be too large to keep. */
  layer(key, width, height, size, paint) {
    if (width * height * size * size > LARGEST) return null;
    let picture = this.#layers.get(key);
    if (!picture) {
      picture = new OffscreenCanvas(Math.ceil(width * size), Math.ceil(height * size));
      const ctx = picture.getContext("2d");
      ctx.scale(size, size);
      paint(ctx);
    }
    this.#layers.delete(key); // and back in as the youngest
    this.#layers.set(key, picture);
    if (this.#layers.size > LAYERS) this.#layers.delete(this.#layers.keys().next().value);
    return picture;
  }
}

/** A picture's pixels, cut to what is painted: {box: {x, y, width, height}, pixels}. */
function pixelsOf(ctx, side) {
  const all = new Int32Array(ctx.getImageData(0, 0, side, side).data.buffer);
  const painted = [...all.keys()].filter((k) => all[k] !== 0);
  if (painted.length === 0) return {box: {x: 0, y: 0, width: 0, height: 0}, pixels: all};
  const rows = painted.map((k) => Math.floor(k / side));
  const columns = painted.map((k) => k % side);
  const x = columns.reduce((a, b) => Math.min(a, b));
  const y = rows[0];
  const box = {x, y, width: columns.reduce((a, b) => Math.max(a, b)) - x + 1, height: rows.at(-1) - y + 1};
  const pixels = new Int32Array(box.width * box.height);
  for (let row = 0; row < box.height; row++) {
    const start = (y + row) * side + x;
    pixels.set(all.subarray(start, start + box.width), row * box.width);
  }
  return {box, pixels};
}

/**
 * The scene of one drawing: what is `given`, on a board whose corner is at (left, top) device pixels; `made` keeps what is
 * made once for all copies of the board.
 */
export function makeScene(ctx, pictures, view, given, made = new Map()) {
  const {verbs} = new Brush(ctx, pictures, view, given, made);
  return {...given, size: view.size, visible: view.visible, ...verbs};
}

class Brush {
  constructor(ctx, pictures, view, {progress, patterns = []}, made) {
    this.ctx = ctx;
    this.pictures = pictures;
    this.view = view;
    this.progress = progress;
    this.patterns = patterns;
    this.made = made;
  }

  get verbs() {
    return {
      grid: new Grid(this.view),
      glide: (x, y, fromX, fromY) => this.glide(x, y, fromX, fromY),
      along: (path, part = this.progress) => this.along(path, part),
      paintPattern: (ctx, team, x = 0.5, y = 0.5, radius = 0.4) => (
        paintPattern(ctx, this.patterns[team] ?? 0, x, y, radius)),
      sprite: (key, paint) => this.pictures.sprite(key, this.view.size, paint),
      stamp: (sprite, x, y, fromX = x, fromY = y) => this.stamp(sprite, x, y, fromX, fromY),
      crowd: (sprites, which, at, from = null) => this.crowd(sprites, which, at, from),
      layer: (key, paint) => this.layer(key, paint),
      once: (key, make) => this.once(key, make),
    };
  }

  once(key, make) {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key);
  }

  /** How far it is from `from` to `to` along an edge of the board, the short way round. */
  way(from, to, side) {
    return this.view.wraps ? short(to - from, side) : to - from;
  }

  glide(x, y, fromX, fromY) {
    const {width, height, reach} = this.view;
    const dx = this.way(fromX, x, width);
    const dy = this.way(fromY, y, height);
    if (Math.max(Math.abs(dx), Math.abs(dy)) > reach || this.progress >= 1) return [x, y];
    return [fromX + dx * this.progress, fromY + dy * this.progress];
  }

  /** Where a part of the way is done that leads over these squares; each of its steps takes the same time. */
  along(path, part) {
    const at = Math.min(Math.max(part, 0), 1) * (path.length - 1);
    const k = Math.min(Math.floor(at), path.length - 2);
    if (k < 0) return path[0];
    const [[fromX, fromY], [toX, toY]] = [path[k], path[k + 1]];
    const {width, height} = this.view;
    return [fromX + this.way(fromX, toX, width) * (at - k), fromY + this.way(fromY, toY, height) * (at - k)];
  }

  isOut(x, y) {
    const {left, right, top, bottom} = this.view.visible;
    return x <= left - 1 - MARGIN || x >= right + MARGIN || y <= top - 1 - MARGIN || y >= bottom + MARGIN;
  }

  stamp(sprite, toX, toY, fromX, fromY) {
    const [x, y] = this.glide(toX, toY, fromX, fromY);
    if (this.isOut(x, y)) return;
    // Whole device pixels: nothing is resampled, and sprites stay crisp while they move.
    const {size, left, top} = this.view;
    const px = Math.round(left + x * size) - sprite.margin - left;
    const py = Math.round(top + y * size) - sprite.margin - top;
    this.ctx.drawImage(sprite.picture, px / size, py / size, sprite.side / size, sprite.side / size);
  }

  crowd(sprites, which, at, from) {
    const {view} = this;
    const {size, width, height, visible} = view;
    // The part of this copy of the board that is in view, in device pixels of the canvas.
    const out = 1 + MARGIN;
    const edge = (low, high, side, origin) => [
      Math.floor(origin + Math.max(low, -out) * size), Math.ceil(origin + Math.min(high, side + out) * size)];
    const [left, right] = edge(visible.left, visible.right, width, view.left);
    const [top, bottom] = edge(visible.top, visible.bottom, height, view.top);
    if (right <= left || bottom <= top) return;
    const {x, y, near, rim} = this.places(at, from);
    const crowd = size >= LARGE ? null : this.pictures.crowd(view.copy);
    crowd?.begin(right - left, bottom - top);
    this.ctx.save();
    this.ctx.setTransform(1, 0, 0, 1, 0, 0);
    const listed = view.isRim ? rim : near;
    for (let k = 0; k < listed.length; k++) {
      const i = listed[k];
      const sprite = sprites[which[i]];
      if (sprite === undefined || this.isOut(x[i], y[i])) continue;
      const px = Math.round(view.left + x[i] * size) - sprite.margin;
      const py = Math.round(view.top + y[i] * size) - sprite.margin;
      if (crowd) crowd.put(sprite, px - left, py - top);
      else this.ctx.drawImage(sprite.picture, px, py);
    }
    crowd?.show(this.ctx, left, top);
    this.ctx.restore();
  }

  /** Where everybody of a crowd is now, the same on all copies of the board. */
  places(at, from) {
    const known = this.once(at, () => new Map());
    if (!known.has(from)) known.set(from, this.reckonPlaces(at, from));
    return known.get(from);
  }

  /** Their places by their numbers, and the numbers of those on the board or next to it, and of who sticks out of it. */
  reckonPlaces(at, from) {
    const {width, height, reach} = this.view;
    const {progress} = this;
    const x = Float64Array.from(at.x);
    const y = Float64Array.from(at.y);
    const moving = from && progress < 1 ? Math.min(from.x.length, x.length) : 0;
    for (let i = 0; i < moving; i++) {
      if (from.x[i] === x[i] && from.y[i] === y[i]) continue;
      const dx = this.way(from.x[i], x[i], width);
      const dy = this.way(from.y[i], y[i], height);
      if (dx > reach || dx < -reach || dy > reach || dy < -reach) continue;
      x[i] = from.x[i] + dx * progress;
      y[i] = from.y[i] + dy * progress;
    }
    const [near, rim] = [[], []];
    const isWithin = (i, room) => x[i] > room && x[i] < width - 1 - room && y[i] > room && y[i] < height - 1 - room;
    for (let i = 0; i < x.length; i++) {
      if (!isWithin(i, -2 - reach)) continue;
      near.push(i);
      if (!isWithin(i, MARGIN)) rim.push(i);
    }
    return {x, y, near, rim};
  }

  layer(key, paint) {
    const {width, height, size} = this.view;
    const picture = this.pictures.layer(key, width, height, size, paint);
    if (picture) this.ctx.drawImage(picture, 0, 0, picture.width / size, picture.height / size);
    else paint(this.ctx);
  }
}
