// The progress of an import, read again while it is under way. Without the script, a link reads it.

import { onPage, readPage } from "./dom.js";

/** Milliseconds. */
const pause = 3000;
let timer;

onPage(wait);
wait();
document.addEventListener("turbo:before-cache", () => clearTimeout(timer));

function wait() {
  clearTimeout(timer);
  if (document.querySelector("[data-renew]") !== null)
    timer = setTimeout(() => void renew(), pause);
}

async function renew() {
  const shown = document.querySelector("[data-renew]");
  if (shown === null) return;
  const page = document.hidden ? undefined : await readPage(shown.dataset.renew);
  const fresh = page?.getElementById(shown.id);
  if (fresh && shown.isConnected) {
    // The element stays, so that screen readers notice its new text, and the focus stays.
    if (!shown.contains(document.activeElement) || !("renew" in fresh.dataset))
      shown.replaceChildren(...fresh.children);
    if (!("renew" in fresh.dataset)) delete shown.dataset.renew;
  }
  wait();
}
