// Thousands of sprites at once: their pixels are copied into one picture, which is then put on the canvas.
// Without a graphics card this is several times faster than drawing small ones one by one, and with one no slower.

const TILE = 6; // tiles of 64 x 64 pixels: only those that something is on are handed on, and cleared again
const SPARE = 4; // times what is needed that a picture may be large

export class Crowd {
  #canvas = new OffscreenCanvas(1, 1);
  #ctx = null;
  #image = null;
  #pixels = new Int32Array(0); // signed: numbers above 2^31 would be slower
  #width = 0; // of the picture, in whole tiles: it stays as large as it has been
  #height = 0;
  #tiles = new Uint8Array(0); // whether something is on each, row by row
  #right = 0; // of the part that is used
  #bottom = 0;

  /** Empty, `width` x `height` device pixels. */
  begin(width, height) {
    const [wide, high] = [tilesOf(width) << TILE, tilesOf(height) << TILE];
    const isWasted = this.#width * this.#height > SPARE * wide * high;
    if (wide > this.#width || high > this.#height || isWasted) this.#resize(wide, high, isWasted);
    else this.#clear();
    this.#right = width;
    this.#bottom = height;
  }

  #resize(wide, high, isSmaller) {
    this.#width = this.#canvas.width = isSmaller ? wide : Math.max(wide, this.#width);
    this.#height = this.#canvas.height = isSmaller ? high : Math.max(high, this.#height);
    this.#ctx = this.#canvas.getContext("2d", {willReadFrequently: true});
    this.#image = new ImageData(this.#width, this.#height);
    this.#pixels = new Int32Array(this.#image.data.buffer);
    this.#tiles = new Uint8Array((this.#width >> TILE) * (this.#height >> TILE));
  }

  #clear() {
    for (const {x, y, width, height} of this.#runs()) {
      for (let row = y; row < y + height; row++) {
        this.#pixels.fill(0, row * this.#width + x, row * this.#width + x + width);
      }
    }
    this.#tiles.fill(0);
  }

  /** Copy a sprite's pixels to (left, top); what sticks out is cut off. Of two on a pixel the denser is seen. */
  put({box, pixels}, left, top) {
    const target = this.#pixels;
    const width = this.#width;
    const startX = left + box.x;
    const startY = top + box.y;
    const firstX = Math.max(startX, 0);
    const firstY = Math.max(startY, 0);
    const lastX = Math.min(startX + box.width, this.#right);
    const lastY = Math.min(startY + box.height, this.#bottom);
    if (lastX <= firstX || lastY <= firstY) return;
    for (let y = firstY; y < lastY; y++) {
      let from = (y - startY) * box.width + firstX - startX;
      const end = y * width + lastX;
      for (let to = y * width + firstX; to < end; to++, from++) {
        const pixel = pixels[from];
        if (pixel !== 0 && pixel >>> 24 >= target[to] >>> 24) target[to] = pixel;
      }
    }
    const across = width >> TILE;
    for (let row = firstY >> TILE; row <= (lastY - 1) >> TILE; row++) {
      for (let column = firstX >> TILE; column <= (lastX - 1) >> TILE; column++) this.#tiles[row * across + column] = 1;
    }
  }

  /** Put it on a canvas whose units are device pixels, with its corner at (left, top). */
  show(ctx, left, top) {
    const runs = this.#runs();
    // All of it first: whatever were written after a picture was taken of it would copy all of the canvas.
    for (const {x, y, width, height} of runs) this.#ctx.putImageData(this.#image, 0, 0, x, y, width, height);
    for (const {x, y, width, height} of runs) {
      ctx.drawImage(this.#canvas, x, y, width, height, left + x, top + y, width, height);
    }
  }

  /** The rows of tiles that something is on, in pixels: {x, y, width, height}; like ones below each other are one. */
  #runs() {
    const across = this.#width >> TILE;
    const found = [];
    for (let first = 0; first < this.#tiles.length; first += across) {
      for (let column = 0; column < across; column++) {
        if (!this.#tiles[first + column]) continue;
        const from = column;
        while (column < across && this.#tiles[first + column]) column += 1;
        const run = {x: from << TILE, y: (first / across) << TILE, width: (column - from) << TILE, height: 1 << TILE};
        const above = found.at(-1);
        const isBelow = above?.x === run.x && above.width === run.width && above.y + above.height === run.y;
        if (isBelow) above.height += run.height;
        else found.push(run);
      }
    }
    return found;
  }
}

const tilesOf = (pixels) => Math.ceil(pixels / (1 << TILE));
