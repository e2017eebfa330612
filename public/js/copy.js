import { toast } from "./announce.js";
import { words } from "./words.js";

// On plain http there is no clipboard API.
if (navigator.clipboard !== undefined) {
  document.addEventListener(
    "toggle",
    ({ target }) => {
      for (const button of target.querySelectorAll("[data-copy]")) button.hidden = false;
    },
    true,
  );
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy]");
    if (button !== null) void copy(button);
  });
}

async function copy(button) {
  const menu = button.closest("details");
  await navigator.clipboard.writeText(new URL(button.dataset.copy, location.origin).href);
  menu.open = false;
  menu.querySelector("summary").focus();
  toast(words.t("script.copied"));
}
