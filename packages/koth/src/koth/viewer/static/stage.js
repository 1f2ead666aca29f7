// The canvas: which squares are in view, and drawing them with the game's draw.js.

import {paint} from "./drawings.js";
import {short} from "./grid.js";
import {drawLabels} from "./labels.js";
import {Pictures, makeScene} from "./scene.js";

const REMEMBERED = 0.6; // how strongly remembered ground is drawn
const CLOSEST = 96; // CSS pixels per square at the most
const RIM = 0.15; // of a square: what a name may cover of its edge
const TEXT = 15; // CSS pixels of the page's text where the screen is of a usual size

export class Stage {
  #ctx;
  #pictures = new Pictures();
  #fog = null;
  #memory = null;
  #remembered = new Map(); // pictures of it, by place and look
  #masks = new Masks();
  #zoom = 1;
  #center = null; // in squares; null: the middle of the board

  onResize = () => {};
  #box = null; // of the canvas, as the browser reported it last
  #coarse = false;

  constructor(canvas, picture) {
    this.canvas = canvas;
    this.picture = picture;
    canvas.classList.add("blank"); // nothing is on it yet, and nothing would be black
    this.board = {width: 1, height: 1, wraps: false, reach: 1};
    this.#ctx = canvas.getContext("2d", {alpha: false});
    const observer = new ResizeObserver((entries) => this.#resize(entries[0]));
    try {
      observer.observe(canvas, {box: "device-pixel-content-box"});
    } catch {
      observer.observe(canvas); // a browser that does not know device pixels
    }
  }

  /** Whether a device pixel is drawn for each CSS pixel only, where a screen has more: less to see, faster to draw. */
  get coarse() {
    return this.#coarse;
  }

  set coarse(is) {
    if (is === this.#coarse) return;
    this.#coarse = is;
    if (this.#box) this.#resize(this.#box);
  }

  /** CSS pixels of the canvas, and of the page's text; asking the page for them in each frame would compute its layout again. */
  get #wide() {
    return this.#box?.contentRect.width ?? this.canvas.clientWidth;
  }

  #text = TEXT;

  #resize(entry) {
    this.#box = entry;
    this.#text = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const exact = this.#coarse ? null : entry.devicePixelContentBoxSize?.[0];
    const ratio = this.#coarse ? Math.min(devicePixelRatio, 1) : devicePixelRatio;
    // The browser knows to the pixel what rounding makes of a box; trust it unless it ignores the ratio.
    const pixels = (length, known) => {
      const computed = Math.round(length * ratio);
      return known !== undefined && Math.abs(known - computed) <= 1 ? known : computed;
    };
    const width = pixels(entry.contentRect.width, exact?.inlineSize);
    const height = pixels(entry.contentRect.height, exact?.blockSize);
    if (width === this.canvas.width && height === this.canvas.height) return;
    this.canvas.width = width;
    this.canvas.height = height;
    this.onResize();
  }

  /** Device pixels per square when the whole board is in view. */
  get #fit() {
    return Math.min(this.canvas.width / this.board.width, this.canvas.height / this.board.height);
  }

  get zoom() {
    return this.#zoom;
  }

  /** What is in view: the scale, and the part of the board and of the canvas that show each other. */
  get view() {
    const {board, canvas} = this;
    const size = this.#fit * this.#zoom;
    const across = Math.min(board.width, canvas.width / size);
    const down = Math.min(board.height, canvas.height / size);
    const center = this.#center ?? {x: board.width / 2, y: board.height / 2};
    const place = (middle, length, side) => {
      const first = middle - length / 2;
      if (length >= side - 1e-9) return board.wraps && this.#center && this.#zoom > 1 ? first : 0;
      return board.wraps ? first : Math.min(Math.max(first, 0), side - length);
    };
    return {
      size,
      x: place(center.x, across, board.width),
      y: place(center.y, down, board.height),
      across,
      down,
      left: Math.round((canvas.width - across * size) / 2),
      top: Math.round((canvas.height - down * size) / 2),
    };
  }

  /** The point of the board (in squares, within it) under a point of the page, or null outside. */
  pointAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const {size, x, y, across, down, left, top} = this.view;
    const ratio = this.canvas.width / box.width;
    const dx = ((clientX - box.left) * ratio - left) / size;
    const dy = ((clientY - box.top) * ratio - top) / size;
    if (dx < 0 || dy < 0 || dx >= across || dy >= down) return null;
    return {x: modulo(x + dx, this.board.width), y: modulo(y + dy, this.board.height)};
  }

  /** Where a point of the board is on the page (CSS pixels from the canvas's corner). */
  placeOf(point) {
    const {size, x, y, left, top} = this.view;
    const ratio = this.canvas.width / this.#wide;
    const {wraps, width, height} = this.board;
    const dx = wraps ? modulo(point.x - x, width) : point.x - x;
    const dy = wraps ? modulo(point.y - y, height) : point.y - y;
    return {x: (left + dx * size) / ratio, y: (top + dy * size) / ratio, size: size / ratio};
  }

  /** Zoom by a factor, keeping the point under (clientX, clientY) where it is; without one, the middle. */
  zoomBy(factor, clientX, clientY) {
    const before = clientX === undefined ? null : this.pointAt(clientX, clientY);
    const closest = (CLOSEST * this.canvas.width) / this.#wide / this.#fit;
    this.#zoom = Math.max(1, Math.min(Math.max(closest, 1), this.#zoom * factor));
    if (this.#zoom < 1.001) return this.reset();
    if (!before) return undefined;
    this.#center ??= {x: this.board.width / 2, y: this.board.height / 2};
    const after = this.pointAt(clientX, clientY);
    if (after) this.#moveCenter(this.#short(before.x - after.x, "width"), this.#short(before.y - after.y, "height"));
    return undefined;
  }

  #short(way, side) {
    const whole = this.board[side];
    return this.board.wraps ? short(way, whole) : way;
  }

  /** Move the view by CSS pixels. */
  panBy(dx, dy) {
    if (this.#zoom === 1) return;
    const {size} = this.view;
    const ratio = this.canvas.width / this.#wide;
    this.#moveCenter((-dx * ratio) / size, (-dy * ratio) / size);
  }

  #moveCenter(dx, dy) {
    const {x, y, across, down} = this.view; // from where the view really is: it may have met the edge
    this.lookAt({x: x + across / 2 + dx, y: y + down / 2 + dy});
  }

  lookAt(point) {
    const {width, height, wraps} = this.board;
    this.#center = wraps ? {x: modulo(point.x, width), y: modulo(point.y, height)} : {...point};
  }

  /** Where the view is, as a text for an address: "x,y,zoom"; null for the whole board. */
  get place() {
    if (this.#zoom === 1) return null;
    const center = this.#center ?? {x: this.board.width / 2, y: this.board.height / 2};
    return [center.x, center.y, this.#zoom].map((number) => Math.round(100 * number) / 100).join();
  }

  /** Go to such a place; what is none changes nothing. */
  setPlace(text) {
    const [x, y, zoom] = text.split(",").map(Number);
    if (![x, y, zoom].every(Number.isFinite) || zoom <= 1) return;
    this.reset();
    this.zoomBy(zoom);
    this.lookAt({x, y});
  }

  /** Zoom in until about `squares` are in view, if there are more. */
  zoomTo(squares) {
    const {across, down} = this.view;
    const most = Math.max(across, down);
    if (most > squares) this.zoomBy(most / squares);
  }

  reset() {
    this.#zoom = 1;
    this.#center = null;
  }

  /**
   * Draw. `shot` has `match, frame, previous, progress, colors, theme, focus`, and `look`, a text that changes
   * when colours or theme do; `fog` is what a bot sees (a byte per square), or null for everything; `marks` lie on top:
   * `rings` around actors, `labels` with their names beside all `pieces`, the `trail` that somebody has left, `drawings` of bots; `memory`
   * is what a bot remembers of
   * what it does not see now, `{mask, what, when}` by square, or null.
   * @param {any} shot
   * @param {Uint8Array | null} fog
   * @param {{rings?: any[], labels?: any[], pieces?: any[], trail?: any, drawings?: any[]}} marks
   */
  draw(shot, fog = null, marks = {}, memory = null) {
    const ctx = this.#ctx;
    this.canvas.classList.remove("blank");
    this.lay(shot.match, shot.frame);
    const {board, view} = this;
    this.#pictures.use(view.size, shot.look);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    const across = Math.round(view.across * view.size);
    const down = Math.round(view.down * view.size);
    fillFrame(ctx, this.canvas, {...view, across, down}, shot.theme.ground);
    ctx.save();
    ctx.beginPath();
    ctx.rect(view.left, view.top, across, down);
    ctx.clip();
    ctx.fillStyle = shot.theme.paper;
    ctx.fillRect(view.left, view.top, across, down);
    this.#fog = fog && this.#masks.of(fog, 0, shot.theme.fog, board);
    if (memory !== this.#memory) this.#remembered.clear();
    this.#memory = memory;
    const copies = this.#copies(view);
    const made = new Map();
    for (const [dx, dy] of copies) this.#drawCopy(shot, made, {...view, dx, dy}, marks);
    this.#drawNames(copies, view, {across, down}, marks, shot.theme);
    ctx.restore();
  }

  /** The names of those who are in view, in whichever copy of the board that is. */
  #drawNames(copies, {x, y, size, left, top}, {across, down}, {labels = [], pieces = []}, theme) {
    if (labels.length === 0) return;
    const {width, height, wraps} = this.board;
    const frame = {left, top, right: left + across, bottom: top + down};
    const inView = copies.flatMap(([dx, dy]) => labels.map((label) => ({
      ...label, x: left + (label.x + 0.5 + dx * width - x) * size, y: top + (label.y + dy * height - y) * size,
    }))).filter((label) => label.x > frame.left && label.x < frame.right
      && label.y > frame.top - size / 2 && label.y < frame.bottom - size / 2);
    const ratio = this.canvas.width / this.#wide || 1;
    const squares = squaresUnder(pieces, width);
    const isTaken = (...edges) => {
      const [west, north, east, south] = edges.map((edge, k) => (
        Math.floor((edge - (k % 2 ? top : left)) / size + (k % 2 ? y : x) + (k < 2 ? RIM : -RIM))));
      for (let row = north; row <= south; row++) {
        for (let column = west; column <= east; column++) {
          const at = wraps ? modulo(row, height) * width + modulo(column, width) : row * width + column;
          if (squares.has(at)) return true;
        }
      }
      return false;
    };
    drawLabels(this.#ctx, inView, size, frame, (ratio * this.#text) / TEXT, theme, isTaken);
  }

  /** Know how large the board of a frame is. */
  lay(match, frame) {
    this.board = {wraps: false, reach: 1, ...this.picture.board(match, frame)};
  }

  /** Those whose square of the board is in view. */
  findShown(actors) {
    const {x, y, across, down} = this.view;
    const {wraps, width, height} = this.board;
    if (across >= width && down >= height) return actors;
    return actors.filter((actor) => {
      const dx = actor.x + 0.5 - x;
      const dy = actor.y + 0.5 - y;
      const right = wraps ? modulo(dx, width) : dx;
      const below = wraps ? modulo(dy, height) : dy;
      return right >= 0 && right < across && below >= 0 && below < down;
    });
  }

  /** CSS pixels of a square. */
  get square() {
    return (this.view.size * this.#wide) / this.canvas.width;
  }

  /** The moves by whole boards under which some of the board (or of what sticks out of it) is in view. */
  #copies({x, y, across, down}) {
    const {width, height, wraps} = this.board;
    if (!wraps) return [[0, 0]];
    const along = (first, length, side) => [-1, 0, 1].filter(
      (k) => first - k * side < side + 1 && first + length - k * side > -1);
    return along(y, down, height).flatMap((dy) => along(x, across, width).map((dx) => [dx, dy]));
  }

  #drawCopy(shot, made, {dx, dy, ...view}, {rings = [], trail = null, drawings = []}) {
    const ctx = this.#ctx;
    const {board} = this;
    const {size} = view;
    const x = view.x - dx * board.width;
    const y = view.y - dy * board.height;
    const left = view.left - x * size;
    const top = view.top - y * size;
    const visible = {left: x, top: y, right: x + view.across, bottom: y + view.down};
    // Of most copies nothing is in view but what sticks out of their edge squares.
    const inView = visible.right > 0 && visible.left < board.width && visible.bottom > 0 && visible.top < board.height;
    ctx.save();
    ctx.setTransform(size, 0, 0, size, left, top);
    ctx.imageSmoothingEnabled = false;
    const place = {...board, size, left, top, visible, copy: `${dx} ${dy}`, isRim: !inView};
    ctx.save();
    this.picture.draw(ctx, makeScene(ctx, this.#pictures, place, shot, made));
    ctx.restore();
    if (this.#fog && inView) ctx.drawImage(this.#fog, 0, 0, board.width, board.height);
    if (this.#memory && inView) this.#drawMemory(shot, {...board, size, left, top, visible});
    if (this.picture.drawAboveFog) {
      ctx.save();
      this.picture.drawAboveFog(ctx, makeScene(ctx, this.#pictures, place, shot, made));
      ctx.restore();
    }
    const ratio = this.canvas.width / this.#wide;
    if (drawings.length) paint(ctx, drawings, board, {size, left, top, ratio}, shot.theme);
    if (trail) drawTrail(ctx, trail, board, size, ratio);
    for (const ring of rings) drawRing(ctx, ring, size, ratio);
    ctx.restore();
  }

  /** What is remembered: the ground and what lay there, faintly, where it has been seen. */
  #drawMemory(shot, view) {
    const {size, left, top} = view;
    const key = `${size} ${left} ${top} ${shot.look}`;
    const x = Math.max(0, Math.floor(left));
    const y = Math.max(0, Math.floor(top));
    if (!this.#remembered.has(key)) {
      const right = Math.min(this.canvas.width, Math.ceil(left + view.width * size));
      const bottom = Math.min(this.canvas.height, Math.ceil(top + view.height * size));
      const part = {...view, left: left - x, top: top - y};
      this.#remembered.set(key, this.#paintMemory(shot, part, right - x, bottom - y));
    }
    this.#ctx.save();
    this.#ctx.setTransform(1, 0, 0, 1, 0, 0);
    this.#ctx.globalAlpha = REMEMBERED;
    this.#ctx.drawImage(this.#remembered.get(key), x, y);
    this.#ctx.restore();
  }

  /** The part of a board that is on the canvas, `width` x `height` device pixels. */
  #paintMemory(shot, view, width, height) {
    const picture = new OffscreenCanvas(Math.max(width, 1), Math.max(height, 1));
    const ctx = picture.getContext("2d");
    ctx.fillStyle = shot.theme.paper;
    ctx.fillRect(0, 0, width, height);
    ctx.setTransform(view.size, 0, 0, view.size, view.left, view.top);
    ctx.imageSmoothingEnabled = false;
    ctx.save();
    const still = {...shot, previous: null, progress: 1, memory: this.#memory};
    this.picture.drawMemory(ctx, makeScene(ctx, this.#pictures, view, still));
    ctx.restore();
    ctx.globalCompositeOperation = "destination-in";
    ctx.drawImage(this.#masks.of(this.#memory.mask, 1, "#000", view), 0, 0, view.width, view.height);
    return picture;
  }
}

/** Small pictures with a pixel for each square whose byte has some value; each is painted once. */
class Masks {
  #kept = new WeakMap();

  of(bytes, value, color, {width, height}) {
    const kept = this.#kept.get(bytes);
    if (kept?.color === color) return kept.picture;
    const picture = new OffscreenCanvas(width, height);
    const ctx = picture.getContext("2d");
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (let k = 0; k < pixels.length; k++) pixels[k] = bytes[k] === value ? 0xff000000 : 0;
    ctx.putImageData(image, 0, 0);
    ctx.globalCompositeOperation = "source-in";
    ctx.fillStyle = color;
    ctx.fillRect(0, 0, width, height);
    this.#kept.set(bytes, {picture, color});
    return picture;
  }
}

/** The numbers of all squares that pieces, perhaps on their way, lie on. */
function squaresUnder(pieces, width) {
  const squares = new Set();
  for (const {x, y} of pieces) {
    for (const row of [Math.floor(y), Math.ceil(y)]) {
      for (const column of [Math.floor(x), Math.ceil(x)]) squares.add(row * width + column);
    }
  }
  return squares;
}

/** Paint what of the canvas the board leaves free. */
function fillFrame(ctx, canvas, {left, top, across, down}, color) {
  ctx.fillStyle = color;
  ctx.fillRect(0, 0, canvas.width, top);
  ctx.fillRect(0, top + down, canvas.width, canvas.height - top - down);
  ctx.fillRect(0, top, left, down);
  ctx.fillRect(left + across, top, canvas.width - left - across, down);
}

/** A ring around an actor that is followed or pointed at, never too small to find. */
function drawRing(ctx, {x, y, color}, size, ratio) {
  const radius = Math.max(0.75, (7 * ratio) / size);
  ctx.strokeStyle = color;
  ctx.lineWidth = Math.max(0.08, (2 * ratio) / size);
  ctx.beginPath();
  ctx.arc(x + 0.5, y + 0.5, radius, 0, 7);
  ctx.stroke();
}

/** The way somebody has gone, fading; a leap is left out. */
function drawTrail(ctx, {places, color}, {width, height}, size, ratio) {
  ctx.strokeStyle = color;
  ctx.lineCap = "round";
  ctx.lineWidth = Math.max(0.1, (2 * ratio) / size);
  for (let k = 1; k < places.length; k++) {
    const [from, to] = [places[k - 1], places[k]];
    if (Math.abs(to.x - from.x) > width / 2 || Math.abs(to.y - from.y) > height / 2) continue;
    ctx.globalAlpha = 0.15 + (0.65 * k) / places.length;
    ctx.beginPath();
    ctx.moveTo(from.x + 0.5, from.y + 0.5);
    ctx.lineTo(to.x + 0.5, to.y + 0.5);
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

const modulo = (a, b) => ((a % b) + b) % b;
