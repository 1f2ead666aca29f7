// Where an exported file gets what it shows: from itself. It stands in for place.js.

import * as draw from "./draw.js";
import {unpacked} from "./listing.js";

const text = (id) => document.getElementById(id).textContent;

export async function listing() {
  return unpacked(JSON.parse(text("embedded-listing")));
}

/** An exported file holds one match, and nothing beside it. */
export const runNow = async () => null;
export const toldOf = async () => null;

export const pictureOf = async () => draw;

export function startReader() {
  const address = URL.createObjectURL(new Blob([text("embedded-reader")], {type: "text/javascript"}));
  return new Worker(address);
}

export function replayOf() {
  const packed = atob(text("embedded-replay"));
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return {bytes};
}
