// The page of a version tells each second how the version stands, until it plays or is refused.

import {ask} from "./ask.js";
import {localize} from "./times.js";

const LOOK_EVERY = 1000; // milliseconds between looks

async function look() {
  const answer = await ask(location.pathname, {cache: "no-store"}).catch(() => null);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : document;
  const waits = page.querySelector("[data-waits]") !== null;
  const [old, main] = [document, page].map((one) => one.querySelector("main"));
  if (old && main && main !== old && main.textContent !== old.textContent) {
    old.replaceWith(main);
    localize(main);
  }
  if (waits) setTimeout(look, LOOK_EVERY);
}

setTimeout(look, LOOK_EVERY);
