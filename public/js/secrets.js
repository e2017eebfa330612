// Buttons beside what is shown once: they copy and print it.
import { toast } from "./announce.js";
import { onPage } from "./dom.js";
import { words } from "./words.js";

onPage(showButtons);
// This page was shown before the script was loaded.
showButtons();

function showButtons() {
  for (const button of document.querySelectorAll("[data-print]")) button.hidden = false;
  // On plain http there is no clipboard API.
  if (navigator.clipboard === undefined) return;
  for (const button of document.querySelectorAll("[data-copy-from]")) button.hidden = false;
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-print]") !== null) print();
  const button = target.closest("[data-copy-from]");
  if (button !== null) void copy(document.getElementById(button.dataset.copyFrom));
});

async function copy({ innerText }) {
  await navigator.clipboard.writeText(innerText);
  toast(words.t("script.textCopied"));
}
