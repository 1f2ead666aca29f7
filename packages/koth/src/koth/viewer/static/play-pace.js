// When a turn's time is up: never (a turn waits for the person), or at a number of turns a second.

import {find} from "./dom.js";
import {keep, recall} from "./optional.js";

const CHOICES = [0, 1 / 60, 1 / 30, 1 / 15, 1 / 5, 0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15];

const words = (perSecond) => {
  if (perSecond === 0) return "waits for you";
  return perSecond < 1 ? `${Math.round(1 / perSecond)} s a turn` : `${perSecond} ${perSecond === 1 ? "turn" : "turns"}/s`;
};

export class Pace {
  #timer = 0;
  #paused = false;
  #held = false;
  #open = false;
  #asleep = true; // the clock starts with the person's first command

  /** `usual` is the game's own pace in turns a second (0: waits), `isUp` is called when a turn's time is up. */
  constructor(game, usual, isUp) {
    this.isUp = isUp;
    this.key = `pace ${game}`;
    const stored = Number(recall(this.key) ?? usual);
    this.perSecond = CHOICES.includes(stored) ? stored : usual;
    const select = find("pace");
    const option = (choice) => new Option(words(choice), String(choice), false, choice === this.perSecond);
    select.replaceChildren(...CHOICES.map(option));
    select.addEventListener("change", () => {
      this.perSecond = Number(select.value);
      keep(this.key, select.value);
      this.#restart();
    });
    find("pause").addEventListener("click", () => this.toggle());
    document.addEventListener("visibilitychange", () => this.#restart());
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.addEventListener("close", () => this.holdUp(false));
      new MutationObserver(() => this.holdUp(dialog.open)).observe(dialog, {attributeFilter: ["open"]});
    }
    this.#dress();
  }

  get waits() {
    return this.perSecond === 0;
  }

  get sleeps() {
    return this.#asleep && !this.waits;
  }

  /** The person has done something. */
  wake() {
    if (!this.#asleep) return;
    this.#asleep = false;
    this.#restart();
  }

  /** A turn begins. */
  begin() {
    this.#open = true;
    this.#restart();
  }

  /** It is answered. */
  stop() {
    this.#open = false;
    this.#restart();
  }

  toggle() {
    if (this.waits) return;
    this.#paused = !this.#paused;
    this.#restart();
  }

  /** No time passes while the person reads something else. */
  holdUp(held) {
    this.#held = held;
    this.#restart();
  }

  #dress() {
    find("pause").hidden = this.waits;
    find("pause").textContent = this.#paused ? "Go on" : "Pause";
    find("pause").setAttribute("aria-pressed", this.#paused);
  }

  #restart() {
    clearTimeout(this.#timer);
    this.#dress();
    const runs = this.#open && !this.waits && !this.#asleep && !this.#paused && !this.#held && !document.hidden;
    find("clock").hidden = !runs || this.perSecond > 1;
    if (!runs) return;
    const length = 1000 / this.perSecond;
    this.#timer = setTimeout(this.isUp, length);
    if (this.perSecond <= 1) this.#drain(length);
  }

  #drain(length) {
    find("clock").firstChild.animate([{transform: "scaleX(1)"}, {transform: "scaleX(0)"}], {duration: length, fill: "forwards"});
  }
}
