// Where the viewer's page gets what it shows on the site of a hill: from its own address. It stands in for the viewer's.

import {ask} from "./ask.js";
import {unpackListing} from "./listing.js";

/** Addresses of bots whose names here are not those of their pages. */
let addresses = {};

// The pages of bots with names are below the page of one without.
const own = (what) => ask(`${location.pathname}${location.pathname === "/write" ? "/@" : ""}/${what}`);

export async function listing() {
  const response = await own("listing.json");
  if (!response.ok) throw new Error(`the match can't be read (${response.status})`);
  const answer = await response.json();
  addresses = answer.site.bots ?? {};
  return {...unpackListing(answer), site: answer.site};
}

/** What is known of a match beside its replay: everybody's faults, and what the own bots wrote, noted and drew. */
export async function detailsOf(match) {
  const response = await ask(new URL("details.json", new URL(match.url, location.href)));
  return response.ok ? response.json() : null;
}

/** Events of the window where an author writes a bot: a try was sent to be tried, and how it stands. */
export const SENT = "koth-sent", WORK = "koth-work";
/** How many tries this page has sent: the form has the number, as the page's scripts share no variable. */
const countSent = () => Number(document.getElementById("write")?.dataset.sent ?? 0);
let asked = 0; // as many were sent before the last look
/** @type {any} */
let work = {isOver: false};

/** How the author's try stands; once it is over, this waits until another one is sent. */
export async function workNow() {
  if (work.isOver && countSent() === asked) {
    await new Promise((done) => { addEventListener(SENT, done, {once: true}); });
  }
  const sent = countSent();
  const response = await own("work.json").catch(() => null); // the site may come back
  work = response?.ok ? await response.json() : {...work, isOver: false};
  asked = sent;
  if (response?.ok) dispatchEvent(new CustomEvent(WORK, {detail: work}));
  return work.state ? work : null;
}

/** Nothing is known of contests and of messages. */
export const runNow = async () => null;
export const versusOf = async () => ({});
export const endingsOf = async () => [];
export const talkOf = async () => null;
export const knowsTalk = false;

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
