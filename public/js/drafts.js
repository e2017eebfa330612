import { kept, onPage } from "./dom.js";

const drafts = "form[data-draft]";

onPage(() => {
  for (const form of document.querySelectorAll(drafts)) {
    const draft = kept.read(form.dataset.draft);
    if (draft === undefined || form.elements.text.value !== "") continue;
    form.elements.text.value = draft;
    form.elements.text.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

document.addEventListener("input", ({ target }) => {
  const form = target.closest(drafts);
  if (form === null || target.name !== "text") return;
  if (target.value === "") kept.remove(form.dataset.draft);
  else kept.write(form.dataset.draft, target.value);
});

document.addEventListener("turbo:submit-end", ({ target, detail }) => {
  if (detail.success && target.matches(drafts)) {
    kept.remove(target.dataset.draft);
    target.elements.text.value = "";
  }
  // An outage page sends text again that was typed on another page.
  else if (detail.success && target.matches('[action="/tweets"]'))
    for (const key of kept.keys())
      if (key.startsWith("draft:") && kept.read(key) === target.elements.text?.value)
        kept.remove(key);
  // Leave no drafts behind on a shared device.
  if (target.matches('[action="/logout"]'))
    for (const key of kept.keys()) if (key.startsWith("draft:")) kept.remove(key);
});
