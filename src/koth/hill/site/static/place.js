// Where the viewer's page gets what it shows on the site of a hill: from its own address. It stands in for the viewer's.

import {unpacked} from "./listing.js";

/** Addresses of bots whose names here are not those of their pages: in a trial these name versions, too. */
let addresses = {};

const own = (what) => fetch(`${location.pathname}/${what}`);

export async function listing() {
  const response = await own("listing.json");
  if (!response.ok) throw new Error(`the match can't be read (${response.status})`);
  const answer = await response.json();
  addresses = answer.site.bots ?? {};
  return {...unpacked(answer), site: answer.site};
}

/** What is known of a match beside its replay: everybody's faults, and what the own bots wrote, noted and drew. */
export async function detailsOf() {
  const response = await own("details.json");
  return response.ok ? response.json() : null;
}

/** Nothing is known of contests, of messages, and of somebody at work. */
export const runNow = async () => null;
export const versusOf = async () => ({});
export const endingsOf = async () => [];
export const talkOf = async () => null;
export const knowsTalk = false;
export const workNow = async () => null;

/** Milliseconds between looks at a replay that is still being written: many watch the same. */
export const lookEvery = 3000;

/** The picture of the one game of this site. */
export const pictureOf = () => import("./draw.js");

export const startReader = () => new Worker(new URL("worker.js", import.meta.url), {type: "module"});

/**
 * The way to another moment of this match, or to a bot's page.
 * @param {Record<string, any>} words
 */
export function linkTo({bot, match: _, ...words}) {
  if (bot === undefined) return `#${new URLSearchParams(words)}`;
  return addresses[bot] ?? `/bots/${encodeURIComponent(bot)}`;
}

export const replayOf = (match) =>
  match.bytes ? {bytes: match.bytes} : {url: new URL(match.url, location.href).href};
