// What was typed and not sent stays in the browser until its author signs out.

document.getElementById("sign-out")?.addEventListener("submit", () => {
  for (const key of Object.keys(localStorage)) if (key.startsWith("koth-files ")) localStorage.removeItem(key);
});
