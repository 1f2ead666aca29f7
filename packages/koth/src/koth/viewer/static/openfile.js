// Replays from anywhere: a file dropped on the page or chosen, or one at an address.

import {find} from "./dom.js";

/** Call `open(match)` for every replay that is dropped or chosen, `fail(text)` for what can't be read. */
export function listenForFiles(open, fail) {
  const take = async (file) => {
    if (!file) return;
    try {
      open(asMatch(file.name, new Uint8Array(await file.arrayBuffer())));
    } catch (error) {
      fail(`${file.name} can't be read: ${error.message}`);
    }
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  find("file").addEventListener("change", () => take(find("file").files[0]));
  find("open").addEventListener("click", () => find("file").click());
}

/** The replay at an address, as a match. */
export async function fetchReplay(address) {
  const url = new URL(address, location.href);
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) throw new Error(`${url.href} can't be read from here${response ? ` (${response.status})` : ""}`);
  return asMatch(url.pathname.split("/").at(-1), new Uint8Array(await response.arrayBuffer()));
}

/** A match that is in no list. */
const asMatch = (file, bytes) => (
  {name: file.replace(/\.koth\.gz$/, ""), bytes, places: [], entrantCount: 0, contest: null, details: false});
