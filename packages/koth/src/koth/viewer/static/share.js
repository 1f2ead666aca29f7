// Ways to share a page: its address, a picture of the board, the whole screen.

import {make} from "./dom.js";
import {attempt} from "./optional.js";

/** Copy the page's address; `say(words)` is called with the outcome. */
export async function copyAddress(say) {
  try {
    await navigator.clipboard.writeText(location.href);
    say("the address is copied");
  } catch {
    say("the address of this page holds all of it: copy it from above"); // a page that may not touch the clipboard
  }
}

/** Save what is on a canvas as a PNG of this name. */
export function savePicture(canvas, name) {
  canvas.toBlob((blob) => {
    if (!blob) return; // the canvas is too large
    const href = URL.createObjectURL(blob);
    make("a", {href, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  });
}

export function toggleFullScreen(element) {
  attempt(() => (document.fullscreenElement ? document.exitFullscreen() : element.requestFullscreen()));
}
