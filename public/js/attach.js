// Pictures that are pasted or dropped into the composer, until they are sent; a description for each that is chosen.
import { toast } from "./announce.js";
import { preview } from "./describe.js";
import { onPage } from "./dom.js";

const composers = "form[data-limit]";
const picturesOf = (form) => form.elements.pictures;
const most = 4;

onPage(askOnPage);
// This page was shown before the script was loaded.
askOnPage();

function askOnPage() {
  for (const form of document.querySelectorAll(composers)) askForDescriptions(form);
}

document.addEventListener("change", ({ target }) => {
  const form = target.closest(composers);
  if (form !== null) askForDescriptions(form);
});

// Chosen files stay when Turbo morphs the page. Those that were sent would be sent again; a refused form has uploads instead.
document.addEventListener("turbo:submit-end", ({ target, detail }) => {
  const isTaken = detail.success || detail.fetchResponse?.statusCode === 422;
  if (isTaken && target.matches(composers) && picturesOf(target)) picturesOf(target).value = "";
});

for (const [event, dataOf] of [
  ["paste", ({ clipboardData }) => clipboardData],
  ["drop", ({ dataTransfer }) => dataTransfer],
])
  document.addEventListener(event, (happened) => {
    const form = happened.target.closest?.(composers);
    const data = dataOf(happened);
    // What office programs copy has a text, and a picture of it.
    const isText = event === "paste" && data.types.includes("text/plain");
    const files = form && picturesOf(form) && !isText ? imagesIn(data) : [];
    if (files.length === 0) return;
    happened.preventDefault();
    attach(form, files);
  });

document.addEventListener("dragover", (event) => {
  const isFile = event.dataTransfer.types.includes("Files");
  if (isFile && event.target.closest?.(composers)) event.preventDefault();
});

const imagesIn = (data) => [...data.files].filter(({ type }) => type.startsWith("image/"));

function attach(form, files) {
  const input = picturesOf(form);
  const room = most - form.querySelectorAll('[name="uploads"]:checked').length;
  const all = [...input.files, ...files];
  const data = new DataTransfer();
  for (const file of all.slice(0, room)) data.items.add(file);
  input.files = data.files;
  if (all.length > room) toast(input.closest(".field").querySelector(".field-hint").textContent);
  input.closest("details").open = true;
  askForDescriptions(form);
}

/** A field for each picture: for kept ones as they are shown, then for new ones. */
function askForDescriptions(form) {
  const input = picturesOf(form);
  if (!input) return;
  const kept = form.querySelectorAll('[name="uploads"]');
  for (const [nth, text] of form.querySelectorAll('[name^="description_"]').entries()) {
    const field = text.closest(".field");
    const file = input.files[nth - kept.length];
    field.hidden = !(kept[nth]?.checked ?? file);
    preview(field, file);
  }
}
