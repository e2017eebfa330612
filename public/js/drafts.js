import { kept, onPage } from "./dom.js";

const drafts = "form[data-draft]";
/**
 * What a draft keeps. The nonce: a tweet that was sent, without an answer, stays one. Pictures cannot be kept, so their
 * descriptions are not.
 */
const fields = ["text", "warning", "sensitive", "audience", "replies_from", "nonce"];

/** Key of a draft. A quote, and a text from an app, have their own: their composer does not start empty. */
const startOf = () => (/[?&](quote|title|text|url)=/.test(location.search) ? location.search : "");
const keyOf = (form) => form.dataset.draft + startOf();

onPage(() => {
  for (const form of document.querySelectorAll(drafts)) {
    const draft = read(keyOf(form));
    if (draft === undefined || (form.elements.text.value !== "" && startOf() === "")) continue;
    for (const [name, value] of draft) if (value !== "") fill(form.elements[name], value);
    form.elements.text.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

/** Values by field. A draft of a former version is the text alone. */
function read(key) {
  const draft = kept.read(key);
  return draft && new URLSearchParams(draft.startsWith("text=") ? draft : { text: draft });
}

function fill(field, value) {
  // An audience that is not offered any more: the page keeps its own choice.
  if (!field || (field.options && ![...field.options].some((one) => one.value === value))) return;
  if (field.type === "checkbox") field.checked = true;
  else field.value = value;
  const more = field.closest("details");
  if (more !== null) more.open = true;
}

let sent;
document.addEventListener("turbo:submit-start", ({ target }) => (sent = target));

// A page that is shown anew leaves a composer as it was typed, unless that was what was sent.
document.addEventListener("turbo:before-morph-element", (event) => {
  const { target, detail } = event;
  const isOther = target !== sent && target.matches("form[data-limit]") && detail.newElement;
  if (isOther && [...target.elements].some(isTyped)) event.preventDefault();
});

/** Only texts, ticks and files have what the page had at first. */
const isTyped = (field) =>
  field.value !== (field.defaultValue ?? field.value) || field.checked !== field.defaultChecked;

document.addEventListener("input", ({ target }) => {
  const form = target.closest(drafts);
  if (form !== null && fields.includes(target.name)) save(form);
});

function save(form) {
  const values = new FormData(form);
  const draft = fields.map((name) => [name, values.get(name) ?? ""]);
  if (form.elements.text.value === "") kept.remove(keyOf(form));
  else kept.write(keyOf(form), new URLSearchParams(draft));
}

document.addEventListener("turbo:submit-end", ({ target, detail: { success } }) => {
  const isDraft = target.matches(drafts);
  if (success && isDraft) {
    kept.remove(keyOf(target));
    target.elements.text.value = "";
  }
  // A log-out in another tab may have removed it.
  else if (isDraft) save(target);
  // An outage page sends text again that was typed on another page.
  else if (success && target.matches('[action="/tweets"]'))
    for (const key of draftKeys())
      if (read(key)?.get("text") === target.elements.text?.value) kept.remove(key);
  // Leave no drafts behind on a shared device.
  if (success && target.matches('[action="/logout"]'))
    for (const key of draftKeys()) kept.remove(key);
});

const draftKeys = () => kept.keys().filter((key) => key.startsWith("draft:"));
