// Where the page gets what it shows: from the server it came from. An exported file has embedded.js in its place.

import {unpackListing} from "./listing.js";

/** What there is to watch. */
export async function listing() {
  const response = await fetch("matches.json", {cache: "no-store"});
  if (!response.ok) throw new Error(`the list of matches can't be read (${response.status})`);
  return {...unpackListing(await response.json()), site: null};
}

/**
 * How the contest stands, for a contest's folder.
 * @returns {Promise<import("./page-data.js").RunState>}
 */
export async function runNow() {
  const response = await fetch("run.json", {cache: "no-store"});
  if (!response.ok) throw new Error(`the contest can't be read (${response.status})`);
  return response.json();
}

/** Head to head in a contest's folder: `{bot: {other: [ahead, ties, behind]}}` of one bot, or of all of a small contest. */
export async function versusOf(bot) {
  const response = await fetch(`versus.json${bot === null ? "" : `?${new URLSearchParams({of: bot})}`}`, {cache: "no-store"});
  if (!response.ok) throw new Error(`the contest can't be read (${response.status})`);
  return response.json();
}

/**
 * How a bot's matches ended for it.
 * @returns {Promise<import("./page-data.js").MatchEnding[]>}
 */
export async function endingsOf(bot) {
  const response = await fetch(`endings.json?${new URLSearchParams({of: bot})}`, {cache: "no-store"});
  return response.ok ? response.json() : [];
}

/**
 * What is known of a match beside its replay, where its listing says `details`.
 * @returns {Promise<import("./page-data.js").MatchDetails | null>}
 */
export async function detailsOf(match) {
  const response = await fetch(`details/${encodeURIComponent(match.name)}`, {cache: "no-store"});
  return response.ok ? response.json() : null;
}

/** Whether messages can be asked for. */
export const knowsTalk = true;

/** What a bot received and answered once `turn` turns were finished: `[[mark, text], ...]`, or null. */
export async function talkOf(match, bot, turn) {
  const words = new URLSearchParams({bot});
  const response = await fetch(`talk/${encodeURIComponent(match.name)}/${turn}?${words}`, {cache: "no-store"});
  return response.ok ? response.json() : null;
}

/**
 * Where somebody is at work on what is shown: how it stands, or null when nobody is any more.
 * @returns {Promise<import("./page-data.js").WorkState | null>}
 */
export async function workNow() {
  const response = await fetch("dev.json", {cache: "no-store"}).catch(() => null);
  return response?.ok ? response.json() : null;
}

/** Milliseconds between looks at a replay that is still being written. */
export const lookEvery = 700;

/** A game's draw.js. */
export const pictureOf = (game) => import(`../games/${encodeURIComponent(game)}/draw.js`);

/** A worker that runs worker.js. */
export const startReader = () => new Worker(new URL("worker.js", import.meta.url), {type: "module"});

/**
 * The way to a match (and a turn of it), to a bot's page, or to the contest.
 * @param {Record<string, any>} words
 */
export function linkTo({bot, ...words}) {
  return `#${new URLSearchParams(bot === undefined ? words : {...words, of: bot})}`;
}

/** The message by which the reader finds a match's replay. */
export const replayOf = (match) =>
  match.bytes ? {bytes: match.bytes} : {url: new URL(match.url, location.href).href};
