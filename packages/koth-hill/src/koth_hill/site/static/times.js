// Times of a page in the reader's time zone; the server writes them in UTC.

const FORM = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});

/** @param {ParentNode} part */
export function localize(part) {
  for (const time of part.querySelectorAll("time[data-local]")) {
    if (!(time instanceof HTMLTimeElement)) continue;
    time.title = time.textContent;
    time.textContent = FORM.format(new Date(time.dateTime));
    time.removeAttribute("data-local");
  }
}

localize(document);
