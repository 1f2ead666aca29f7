// Thousands of sprites at once: their pixels are copied into one picture, which is then put on the canvas.
// Without a graphics card this is ten times faster than drawing them one by one, and with one no slower.

export class Crowd {
  #canvas = new OffscreenCanvas(1, 1);
  #ctx = this.#canvas.getContext("2d", {willReadFrequently: true});
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(this.#image.data.buffer);
  #width = 1;
  #height = 1;

  /** Empty, `width` x `height` device pixels. */
  begin(width, height) {
    if (this.#width === width && this.#height === height) {
      this.#pixels.fill(0);
      return;
    }
    this.#width = this.#canvas.width = width;
    this.#height = this.#canvas.height = height;
    this.#image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Copy a sprite's pixels to (left, top); what sticks out is cut off. Of two on a pixel the denser is seen. */
  put({box, pixels}, left, top) {
    const target = this.#pixels;
    const width = this.#width;
    const startX = left + box.x;
    const startY = top + box.y;
    const firstX = Math.max(startX, 0);
    const lastX = Math.min(startX + box.width, width);
    const lastY = Math.min(startY + box.height, this.#height);
    for (let y = Math.max(startY, 0); y < lastY; y++) {
      let from = (y - startY) * box.width + firstX - startX;
      const end = y * width + lastX;
      for (let to = y * width + firstX; to < end; to++, from++) {
        const pixel = pixels[from];
        if (pixel !== 0 && pixel >>> 24 >= target[to] >>> 24) target[to] = pixel;
      }
    }
  }

  /** The picture, good until `begin`. */
  end() {
    this.#ctx.putImageData(this.#image, 0, 0);
    return this.#canvas;
  }
}
