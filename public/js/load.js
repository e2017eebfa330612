// Scripts that few pages need are loaded when a page or a user turns to what they are for. Everything works without
// them, so after a failure they are asked for again the next time.
import { onPage } from "./dom.js";

const load = (name) => import(document.body.dataset[name]);
const ignore = () => {};

/** The keyboard shortcuts; undefined if they cannot be loaded. */
export const loadHelp = () => load("extra").catch(ignore);

onPage(() => {
  const used = document.querySelector("input[type=password], [data-print], [data-copy-from]");
  if (used !== null) load("extra").catch(ignore);
});

// When a user first turns to a picture or a composer.
const events = ["focusin", "pointerover", "dragenter"];
for (const event of events) document.addEventListener(event, turnTo);

function turnTo({ target }) {
  if (!target.closest?.("a.picture, form[data-limit]")) return;
  const stop = () => {
    for (const event of events) document.removeEventListener(event, turnTo);
  };
  load("pictures").then(stop, ignore);
}
