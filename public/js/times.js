import { longTime, shortTime } from "../../src/web/present/time.ts";
import { onPage } from "./dom.js";
import { words } from "./words.js";

/** Milliseconds: a day, and a while in which nobody looked. */
const moving = 48 * 60 * 60 * 1000;

onPage(moveOn);
document.addEventListener("visibilitychange", moveOn);
setInterval(moveOn, 30_000);

// A short time has the whole of it as its title: a listed tweet's is given it when it is pointed at.
document.addEventListener("pointerover", ({ target }) => {
  const time = target.closest(".tweet-time > time:not([title])");
  if (time !== null) time.title = longTime(words, new Date(time.dateTime));
});

function moveOn() {
  if (document.hidden) return;
  const now = Date.now();
  for (const time of document.querySelectorAll(".tweet-time > time, time[title]")) {
    const date = new Date(time.dateTime);
    // What is older than that shows its date, which no longer moves.
    if (now - date.getTime() > moving) continue;
    const text = shortTime(words, date, now);
    if (time.textContent !== text) time.textContent = text;
  }
}
