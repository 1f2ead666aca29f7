// The files of a bot that is written: one of them is open in the editor; what is typed is kept in the browser.

import {find, makeButton, targetOf} from "./dom.js";
import {createEditor} from "./editor.js";
import {visible} from "./names.js";
import {forget, keep, recall} from "./optional.js";

/** A file: its part of the form, with the name, the text as it is sent, and its editor once it has been open. */
class File {
  editor = null;

  constructor(part) {
    this.part = part;
    this.input = part.querySelector("[name=file]");
    this.area = part.querySelector("[name=source]");
    this.host = part.querySelector(".editor");
  }

  get name() { return this.input.value.trim(); }

  get text() { return this.editor?.text() ?? this.area.value; }
}

export class Files {
  #files = [];
  #open = 0;

  /** `run`: what Ctrl+Enter does. */
  constructor(form, run) {
    this.form = form;
    this.run = run;
    this.saved = [...form.querySelectorAll(".file")].map((part) => new File(part)).map(({name, text}) => [name, text]);
    if (!this.saved.length) return; // a version is tried as it was sent
    /** Where what is typed stays until it is sent: a place for each user, bot and language; sign-out.js clears them. */
    this.shelf = `koth-files ${form.dataset.user} ${location.pathname} ${this.saved[0][0]}`;
    const typed = recall(this.shelf);
    this.#fill(typed === null ? this.saved : JSON.parse(typed));
    find("back-again").hidden = typed === null || typed === JSON.stringify(this.saved);
    find("back-again").querySelector("button").addEventListener("click", () => {
      this.#fill(this.saved);
      this.forget();
    });
    form.addEventListener("click", (event) => {
      const does = targetOf(event)?.value;
      if (does === "add") this.#add();
      else if (does === "remove") this.#remove();
    });
    form.addEventListener("invalid", (event) => { // a file without a name, which may not be open
      const number = this.#files.findIndex(({input}) => input === event.target);
      if (number >= 0) this.#show(number);
    }, true);
  }

  /** The names and texts of all files. */
  texts() { return this.#files.map(({name, text}) => [name, text]); }

  isOne() { return this.#files.length === 1; }

  /** Put what the editors hold into the form. */
  write() {
    for (const file of this.#files) file.area.value = file.text;
  }

  forget() {
    forget(this.shelf);
    find("back-again").hidden = true;
  }

  /** Mark lines: `{file, line, message, severity}`. */
  mark(places) {
    for (const file of this.#files) file.editor?.mark(places.filter((place) => place.file === file.name));
  }

  /** Open a file at a line. */
  jump(name, line) {
    const number = this.#files.findIndex((file) => file.name === name);
    if (number < 0) return;
    this.#show(number);
    this.#files[number].editor.jump(line);
  }

  #fill(texts) {
    for (const part of this.form.querySelectorAll(".file")) part.remove();
    this.#files = [];
    for (const [name, text] of texts) this.#append(name, text);
    this.#show(0);
  }

  #append(name, text) {
    const part = find("new-file").content.cloneNode(true).querySelector(".file");
    find("new-file").before(part);
    const file = new File(part);
    file.input.value = name;
    file.area.value = text;
    file.input.addEventListener("input", () => { this.#keep(); this.#list(); });
    this.#files.push(file);
  }

  #show(number) {
    this.#open = number;
    for (const [other, {part}] of this.#files.entries()) part.hidden = other !== number;
    const file = this.#files[number];
    file.area.closest("label").hidden = true;
    file.host.hidden = false;
    file.part.querySelector("[value=add]").hidden = false;
    file.part.querySelector("[value=remove]").hidden = this.isOne();
    const {text, name} = file;
    file.editor ??= createEditor(file.host, {text, file: name, changed: () => this.#keep(), run: this.run});
    this.#list();
  }

  #list() {
    find("own-files").hidden = this.isOne();
    find("own-files").replaceChildren(...this.#files.map(({name}, number) => {
      const button = makeButton([visible(name || "no name", 60)], () => {
        this.#show(number);
        find("own-files").children[number].focus();
      });
      button.setAttribute("aria-pressed", String(number === this.#open));
      return button;
    }));
  }

  #keep() { keep(this.shelf, JSON.stringify(this.texts())); }

  #add() {
    const ending = this.#files[0].name.match(/\.\w+$/)?.[0] ?? "";
    this.#append(`file${this.#files.length + 1}${ending}`, "");
    this.#show(this.#files.length - 1);
    this.#files.at(-1).input.select();
    this.#keep();
  }

  #remove() {
    const [file] = this.#files.splice(this.#open, 1);
    file.part.remove();
    this.#show(Math.max(this.#open - 1, 0));
    this.#files[this.#open].input.focus();
    this.#keep();
  }
}
