import { shortTime } from "../../src/web/present/time.ts";
import { onPage } from "./dom.js";

onPage(moveOn);
document.addEventListener("visibilitychange", moveOn);
setInterval(moveOn, 30_000);

/** A short time has the whole of it as its title. */
function moveOn() {
  if (document.hidden) return;
  const now = Date.now();
  for (const time of document.querySelectorAll("time[datetime][title]")) {
    // "Nov 3" no longer moves.
    if (!/^(now|\d+[mh])$/.test(time.textContent)) continue;
    const text = shortTime(new Date(time.dateTime), now);
    if (time.textContent !== text) time.textContent = text;
  }
}
