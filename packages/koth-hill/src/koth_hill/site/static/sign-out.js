// What was typed and not sent stays in the browser until its author signs out.

import {attempt, forget} from "./optional.js";

addEventListener("submit", ({target}) => { // not of the form, which another answer may replace
  if (!(target instanceof HTMLFormElement) || target.id !== "sign-out") return;
  for (const key of attempt(() => Object.keys(localStorage)) ?? []) if (key.startsWith("koth-files ")) forget(key);
});
