// Scripts that are loaded when a user first turns to what they are for; the body has their addresses.
const later = {
  pictures: "a.picture, form[data-limit]",
  complete: 'form[data-limit] textarea, form[action="/search"] input[type="search"]',
};

for (const event of ["focusin", "pointerover", "dragenter"]) document.addEventListener(event, load);

function load({ target }) {
  for (const [name, places] of Object.entries(later)) {
    if (!target.closest?.(places)) continue;
    // After a failure it is tried again the next time.
    import(document.body.dataset[name]).then(
      () => delete later[name],
      () => {},
    );
  }
}
