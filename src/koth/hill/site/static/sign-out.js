// What was typed and not sent stays in the browser until its author signs out.

addEventListener("submit", ({target}) => { // not of the form, which another answer may replace
  if (!(target instanceof HTMLFormElement) || target.id !== "sign-out") return;
  for (const key of Object.keys(localStorage)) if (key.startsWith("koth-files ")) localStorage.removeItem(key);
});
