import { toast } from "./announce.js";
import { onPage } from "./dom.js";
import { words } from "./words.js";

// On plain http there is no clipboard API.
if (navigator.clipboard !== undefined) {
  show(document);
  onPage(() => show(document));
  document.addEventListener("toggle", ({ target }) => show(target), true);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy]");
    if (button !== null) void copy(button);
  });
}

async function copy(button) {
  const menu = button.closest("details");
  await navigator.clipboard.writeText(new URL(button.dataset.copy, location.origin).href);
  if (menu !== null) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  toast(words.t("script.copied"));
}

function show(part) {
  for (const button of part.querySelectorAll("[data-copy]")) button.hidden = false;
}
