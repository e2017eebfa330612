// Times stay current, and are those of the browser's zone: the server writes them in UTC.
import { longTime, shortTime } from "../../src/web/layout/time.ts";
import { words } from "./words.js";

const utc = / UTC$/;
const short = ".tweet-time > time, time[title]";

showTimes();
document.addEventListener("visibilitychange", showTimes);
setInterval(showTimes, 30_000);

// New pages, older tweets, changed buttons: elements, while a time that is written here is text.
new MutationObserver((changes) => {
  if (changes.some(({ addedNodes: [first] }) => first?.tagName)) showTimes();
}).observe(document, { childList: true, subtree: true });

// A short time has the long one as its title. In lists it is set when the pointer reaches it.
document.addEventListener("pointerover", ({ target }) => {
  const time = target.closest(".tweet-time > time:not([title])");
  if (time !== null) time.title = longTime(words, new Date(time.dateTime));
});

function showTimes() {
  if (document.hidden) return;
  const now = Date.now();
  for (const time of document.querySelectorAll("time")) {
    const { textContent: text, title } = time;
    const date = new Date(time.dateTime);
    const long = longTime(words, date);
    if (utc.test(title)) time.title = long;
    const isShort = text !== title && time.matches(short);
    const current = utc.test(text) ? long : isShort ? shortTime(words, date, now) : text;
    if (text !== current) time.textContent = current;
  }
}
