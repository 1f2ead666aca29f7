// Where a page that is a file gets what it shows: from itself. It stands in for place.js.

import {unpackListing} from "./listing.js";
import {pictures} from "./pictures.js";

const text = (id) => document.getElementById(id)?.textContent ?? null;
/** @returns {import("./page-data.js").EmbeddedData} */
const data = () => JSON.parse(text("embedded-data"));
let site = null; // read once: a long list of matches asks for it at each of its links
const siteHere = () => (site ??= data().site ?? {});

export async function listing() {
  return {...unpackListing(data().listing), site: data().site ?? null};
}

/** The contest as it ended, where the page is a contest's. */
export const runNow = async () => data().run ?? null;

/** Head to head, of whom the page is. */
export const versusOf = async () => data().versus ?? {};

/** How the matches of a bot ended, of whom the page is. */
export const endingsOf = async () => data().endings ?? [];

/** What bots noted and drew, where it was asked for; else nothing is known beside the replay of a match in a file. */
export const detailsOf = async () => data().details ?? null;
export const talkOf = async () => null;
export const knowsTalk = false;

/** Nobody is at work on a file. */
export const workNow = async () => null;

/**
 * The way to a match (and a turn of it), to a bot's page, or to the contest.
 * @param {Record<string, any>} words
 */
export function linkTo({match, bot, ...words}) {
  const {bots = {}, home, matches} = siteHere();
  const more = new URLSearchParams(words).toString();
  if (bot !== undefined) return Object.hasOwn(bots, bot) ? bots[bot] : "#";
  if (match === undefined) return home || "#";
  const place = match.split("/").map(encodeURIComponent).join("/");
  return `${matches || "./"}${place}.html${more && `#${more}`}`;
}

/** Milliseconds between looks at a replay that is still being written: none is, where the page is a file. */
export const lookEvery = 700;

export async function pictureOf(game) {
  if (!Object.hasOwn(pictures, game)) throw new Error(`there is no picture of ${game} here`);
  return pictures[game];
}

export function startReader() {
  const address = URL.createObjectURL(new Blob([text("embedded-reader")], {type: "text/javascript"}));
  return new Worker(address);
}

export function replayOf(match) {
  if (match.bytes) return {bytes: match.bytes};
  const packed = atob(text("embedded-replay"));
  const bytes = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) bytes[k] = packed.charCodeAt(k);
  return {bytes};
}
