// pictures.js is loaded when a user first turns to a picture or a composer.

const events = ["focusin", "pointerover", "dragenter"];
for (const event of events) document.addEventListener(event, load);

function load({ target }) {
  if (!target.closest?.("a.picture, form[data-limit]")) return;
  for (const event of events) document.removeEventListener(event, load);
  void import(document.body.dataset.pictures);
}
