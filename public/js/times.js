import { longTime, shortTime } from "../../src/web/present/time.ts";
import { onPage } from "./dom.js";
import { words } from "./words.js";

/** Milliseconds: a day, and one more for pages that were hidden meanwhile. */
const moving = 48 * 60 * 60 * 1000;

onPage(moveOn);
document.addEventListener("visibilitychange", moveOn);
setInterval(moveOn, 30_000);

// A short time has the long one as its title. In lists it is set when the pointer reaches it.
document.addEventListener("pointerover", ({ target }) => {
  const time = target.closest(".tweet-time > time:not([title])");
  if (time !== null) time.title = longTime(words, new Date(time.dateTime));
});

function moveOn() {
  if (document.hidden) return;
  const now = Date.now();
  for (const time of document.querySelectorAll(".tweet-time > time, time[title]")) {
    const date = new Date(time.dateTime);
    // Older tweets show a date, which does not change.
    if (now - date.getTime() > moving) continue;
    const text = shortTime(words, date, now);
    if (time.textContent !== text) time.textContent = text;
  }
}
