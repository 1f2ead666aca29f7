// A person's match: take what the seat receives, show what its units see, and send what the person decides.

import {patternOf, teamColors, themeOf} from "./colors.js";
import {ask as request} from "./ask.js";
import {find, make, swatch, wrapping} from "./dom.js";
import {formatEvent} from "./events.js";
import {withTools} from "./grid.js";
import {visible} from "./names.js";
import {shortNumber} from "./numbers.js";
import {keep, recall} from "./optional.js";
import {Commands} from "./play-commands.js";
import {findMisfit} from "./play-shape.js";
import {Pace} from "./play-pace.js";
import {View} from "./play-view.js";
import {Sight} from "./sight.js";

const NOTICE = 2600; // milliseconds
const LESSON = 6; // turns
const HAPPENED = 5; // events, the latest ones
const SOON = 40, LATER = 1000; // milliseconds to the next look for messages, right after one came and at most
const LEVELS = ["practice", "easy", "normal", "hard"];

class Match {
  #ask = null; // the question that is open
  #frame = null; // as it was when it was put
  #waiting = null; // a command that came before its question
  #over = false;
  #asked = 0; // questions so far
  #noted = ""; // what was last said in a notice about this question

  /** `module` is the game's play.js, `picture` its draw.js, `spec` the meaning of its frames. */
  constructor(matchInfo, spec, module, picture) {
    this.matchInfo = matchInfo;
    const wrong = findMisfit(module.play);
    if (wrong) throw new TypeError(`play.js of ${matchInfo.game}: ${wrong}`);
    this.module = module;
    const match = withTools({
      game: matchInfo.game, ruleset: matchInfo.ruleset, settings: matchInfo, seed: 0, facts: matchInfo, spec,
      bots: matchInfo.names.map((name) => ({name, hash: ""})),
    });
    this.others = (picture.others?.(match) ?? []).length;
    this.sight = new Sight(match);
    this.player = new module.Player(this.sight);
    this.view = new View(find("board"), picture, module.play, this.player, this.sight);
    const isUsual = !this.isPractice;
    this.pace = new Pace(
      isUsual ? matchInfo.game : `${matchInfo.game} practice`, isUsual ? module.play.pace : 0, () => this.#passTurn());
    new Commands(module.play, {
      command: (command) => this.command(command),
      zoom: (factor) => this.view.zoom(factor),
      pause: () => this.pace.toggle(),
      help: () => find("welcome").showModal(),
      pointAt: (x, y) => this.view.pointAt(x, y),
    });
    this.#dress();
  }

  /** Whether this is the level that teaches: nothing hurries there. */
  isPractice = location.hash === "#practice";

  /** A sentence with the match's own numbers: `{bullets}` is the value that bots are sent by this name. */
  #fill(text) {
    return text.replace(/\{(\w+)\}/g, (_, name) => this.matchInfo[name]);
  }

  /** What stays the same all through the match. */
  #dress() {
    const {matchInfo, module} = this;
    const {title, goal, keys} = module.play;
    document.title = `koth: ${title}`;
    find("title").textContent = title;
    find("welcome-title").textContent = title;
    find("goal").replaceChildren(...goal.map((text) => make("li", null, this.#fill(text))));
    find("keys").replaceChildren(...keys.flatMap(([names, words]) => {
      return [make("dt", null, ...names.map((name) => make("kbd", null, name))), make("dd", null, words)];
    }));
    find("leave").addEventListener("click", () => find("leaving").showModal());
    find("again").addEventListener("click", () => {
      post("play/again", {}).then(() => location.reload()).catch(fail);
    });
    find("leaving").addEventListener("close", () => {
      if (find("leaving").returnValue === "leave") this.#leave();
    });
    this.#listPlayers(matchInfo.names);
    this.restyle();
    showNotice("");
    find("welcome").showModal();
    find("welcome").addEventListener("close", () => {
      find("begin").textContent = "Play on";
      if (!this.#ask && !this.#over) {
        if (!this.sight.frame) showNotice("The bots start. The board comes with your first move …");
        post("play/say", {ready: true}).catch(fail);
      }
      this.pace.holdUp(false);
    });
  }

  #listPlayers(names) {
    find("players").querySelector("ul").replaceChildren(...names.map((name, seat) => {
      const isYou = seat === this.matchInfo.seat && name !== "you";
      const shown = isYou ? `${visible(name)} (you)` : visible(name);
      return make("li", null, swatch("", patternOf(seat)), make("span", null, shown), make("span", {className: "score hint"}));
    }));
  }

  restyle() {
    const theme = themeOf(document.documentElement);
    const bots = this.matchInfo.names.length;
    const colors = teamColors(bots + this.others, theme.dark, null, bots);
    this.view.restyle(theme, colors);
    find("players").querySelectorAll(".swatch").forEach((patch, k) => { patch.style.backgroundColor = colors[k]; });
  }

  /** The frame before the next question has come. */
  showFrame(frame) {
    this.#frame = frame;
  }

  /** A question has come. */
  showQuestion(ask) {
    if (find("welcome").open && !this.#ask) find("welcome").close();
    this.#ask = ask;
    this.#noted = "";
    const isDecided = this.player.isDecided?.(ask);
    if (!isDecided) {
      if (!this.sight.frame) showNotice("");
      this.sight.see(this.#frame);
    }
    this.player.see(ask);
    this.#showReceived(ask);
    if (isDecided) {
      this.#send();
      return;
    }
    this.#teach();
    find("subtitle").textContent = `your move ${ask.ask}`;
    this.view.show(this.pace.waits ? 0.18 : Math.min(0.9 / this.pace.perSecond, 0.3));
    this.#tell();
    this.pace.begin();
    if (this.pace.sleeps) note("Your first move starts the clock");
    const command = this.#waiting;
    this.#waiting = null;
    if (command) this.command(command);
  }

  /** The question word for word, while somebody looks at it. */
  #showReceived(ask) {
    const received = find("received");
    const write = () => { if (received.open) received.querySelector("pre").textContent = JSON.stringify(ask, null, 1); };
    received.ontoggle = write;
    write();
  }

  /** On the level for practice, one lesson after another. */
  #teach() {
    const {lessons} = this.module.play;
    if (!this.isPractice || !lessons) return;
    const at = Math.floor(this.#asked++ / LESSON);
    find("lesson").hidden = at >= lessons.length;
    find("lesson").textContent = this.#fill(lessons[at] ?? "");
  }

  /** Everybody's score, and how many of whose units live. */
  showTable({scores, alive}) {
    const items = find("players").querySelectorAll("li");
    this.matchInfo.names.forEach((name, seat) => {
      const parts = [shortNumber(scores[name]), ...(alive ? [`${alive[name]} alive`] : [])];
      const item = items[seat];
      item?.classList.toggle("out", alive?.[name] === 0);
      item?.querySelector(".score").replaceChildren(parts.join(" · "));
    });
  }

  /** What has happened to one's own units, and by them: the latest first. */
  showEvents(events) {
    const {names, seat} = this.matchInfo;
    const teams = names.map((name) => ({name: visible(name)}));
    const items = events.map((event) => make("li", null,
      event.team === seat ? formatOwnEvent(event, teams) : formatEvent(event, teams)));
    const list = find("happened").querySelector("ul");
    list.prepend(...items.reverse());
    while (list.children.length > HAPPENED) list.lastChild.remove();
    find("happened").hidden = false;
  }

  command(command) {
    if (this.#over) return;
    this.pace.wake();
    if (!this.#ask) {
      if (this.pace.waits) this.#waiting = command;
      else this.player.act(command, false);
      return;
    }
    const outcome = this.player.act(command, this.pace.waits);
    if (!outcome) return;
    this.view.redraw();
    this.#tell();
    if (outcome === "done" && (this.pace.waits || this.pace.perSecond < 1)) this.#send();
  }

  #passTurn() {
    if (this.#ask) this.#send();
  }

  #send() {
    const {ask} = this.#ask;
    this.#ask = null;
    this.pace.stop();
    post("play/say", {ask, ...this.player.answer()}).then(({refused, again}) => {
      if (again) note(refused);
    }).catch(fail);
  }

  /** Say how things stand, in words. */
  #tell() {
    const {headline, alarm, rows, hint, notice, buttons} = this.player.status();
    find("headline").textContent = headline;
    find("headline").classList.toggle("alarm", Boolean(alarm));
    find("facts").replaceChildren(...rows.flatMap(([name, value, urgent]) => {
      const shown = make("dd", null, String(value));
      shown.classList.toggle("alarm", Boolean(urgent));
      return [make("dt", null, name), shown];
    }));
    find("hint").textContent = hint ?? "";
    if (notice && notice !== this.#noted) note(notice);
    this.#noted = notice ?? "";
    find("buttons").replaceChildren(...(buttons ?? []).map(({press, label, pressed, first}) => {
      const attributes = {type: "button", className: first ? "first" : "", "data-press": press};
      return make("button", pressed === undefined ? attributes : {...attributes, "aria-pressed": pressed}, label);
    }));
  }

  #leave() {
    this.#ask = null;
    this.#over = true;
    this.pace.stop();
    status("the match is played to its end without you ...");
    post("play/leave", {}).catch(fail);
  }

  end({scores, turns, you, command, replay, home}) {
    this.#over = true;
    this.#ask = null;
    this.pace.stop();
    status("");
    closeDialogs();
    const {names} = this.matchInfo;
    const rankOf = (name) => 1 + names.filter((other) => scores[other] > scores[name]).length;
    const rank = rankOf(you);
    const order = Object.keys(scores).sort((a, b) => scores[b] - scores[a]);
    find("over-title").textContent = `${rank === 1 ? "You win" : `You are number ${rank} of ${names.length}`}, after ${turns} turns`;
    find("over").querySelector("tbody").replaceChildren(...order.map((name) => make("tr", {className: name === you ? "you" : ""},
      make("td", null, names.includes(name) ? rankOf(name) : ""), make("td", {className: "name"}, wrapping(visible(name))),
      make("td", null, shortNumber(scores[name])))));
    const level = location.hash.slice(1);
    const harder = rank === 1 || this.isPractice ? LEVELS[LEVELS.indexOf(level) + 1] : undefined;
    find("further").textContent = level ? `${command} --level ${level}` : command;
    find("harder").textContent = `${command} --level ${harder}`;
    find("harder-line").hidden = !level || harder === undefined;
    find("further-line").hidden = !command;
    find("home").hidden = !home;
    find("home").href = home;
    find("watch").href = `./#${new URLSearchParams({match: replay})}`;
    find("over").showModal(); // its heading has the focus: a key meant for the match must not lead away
  }
}

/** An event of one's own, without one's name: "caught by Pinky", "#3 is bitten by a zombie". */
function formatOwnEvent(event, teams) {
  const words = formatEvent({...event, team: undefined}, teams).replace(/^its /, "your ");
  return event.name ? words : words.replace(/^is /, "");
}

const closeDialogs = () => document.querySelectorAll("dialog").forEach((dialog) => dialog.close());

function status(text, kind = "") {
  find("status").textContent = visible(text);
  find("status").className = kind;
}

/** The match was ended: why, and the way back. */
function showFailure(why, home) {
  closeDialogs();
  status(why, "error");
  if (home) find("status").append(" ", make("a", {href: home}, "Back"));
}

const fail = (error) => status(error.message ?? String(error), "error");

let hiding = 0;
function note(text) {
  showNotice(text);
  hiding = setTimeout(() => showNotice(""), NOTICE);
}

/** Say above the board what is waited for. */
function showNotice(text) {
  clearTimeout(hiding);
  find("notice").textContent = visible(text);
  find("notice").hidden = !text;
}

/** Send a line. That an answer is refused is not a failure: its question may be over, if another page was faster. */
async function post(where, message) {
  const response = await request(where, {
    method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(message),
  });
  if (!response.ok) throw new Error((await response.text()).trim());
  lookNow();
  return response.json();
}

let lookNow = () => {};

/** Ask for the match's messages until `hear` says that one was the last: soon after the last one or an answer, then less often. */
async function listen(hear) {
  for (let known = 0, wait = SOON, isLost = null; ;) {
    const response = await request(`play/messages?after=${known}`, {cache: "no-store"}).catch(() => null);
    if (response?.status === 404) throw new Error((await response.text()).trim());
    if (isLost !== !response?.ok) status(response?.ok ? "" : "the connection is lost; trying again ...", "error");
    isLost = !response?.ok;
    const messages = response?.ok ? await response.json() : [];
    for (const message of messages) if (await hear(message).catch(fail)) return;
    known += messages.length;
    wait = messages.length ? SOON : Math.min(2 * wait, LATER);
    await new Promise((done) => {
      setTimeout(done, wait);
      lookNow = () => { wait = SOON; done(); };
    });
  }
}

function dress(match) {
  const prefers = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  root.dataset.theme = recall("koth-theme") ?? (prefers.matches ? "dark" : "light");
  find("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    keep("koth-theme", root.dataset.theme);
    match()?.restyle();
  });
  find("help").addEventListener("click", () => match() && find("welcome").showModal());
  find("over").addEventListener("cancel", (event) => event.preventDefault());
}

async function start() {
  let match = null;
  let spec = null;
  dress(() => match);
  const modules = (game) => Promise.all(["play", "draw"].map((name) => import(`../games/${game}/${name}.js`)));
  const hear = async ({hello, ask, table, happened, end, failed, home, ...rest}) => {
    if (rest.spec) spec = rest.spec;
    else if (hello) match = new Match(hello, spec, ...await modules(hello.game));
    else if (rest.frame) match?.showFrame(rest.frame);
    else if (table) match?.showTable(table);
    else if (happened) match?.showEvents(happened);
    else if (ask) match.showQuestion({ask, ...rest});
    else if (end) match.end(end);
    else if (failed) showFailure(failed, home);
    if (end || failed) showNotice("");
    return end || failed;
  };
  await listen(hear);
}

start().catch(fail);
