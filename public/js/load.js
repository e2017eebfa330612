// Scripts that few pages need are loaded when a page or a user turns to what they are for. Everything works without
// them, so after a failure they are asked for again the next time.
import { onPage } from "./dom.js";

/** What a user turns to before a script is needed. */
const later = {
  pictures: "a.picture, form[data-limit]",
  complete:
    'form[data-limit] textarea, form[action="/search"] input[type="search"], form[data-names] input',
};

const load = (name) => import(document.body.dataset[name]);
const ignore = () => {};

/** Keyboard shortcuts and more; undefined if it cannot be loaded. */
export const loadExtra = () => load("extra").catch(ignore);

/** What a page shows that needs a script. */
const shown = {
  extra:
    'input[type=password], [data-print], [data-copy], [data-copy-from], form[action$="/delete"]',
  // A finger gives no sign before it presses.
  pictures: "a.picture",
};

onPage(() => {
  for (const name in shown) if (document.querySelector(shown[name])) load(name).catch(ignore);
});

addEventListener("scroll", () => void load("extra").catch(ignore), { once: true });

for (const event of ["focusin", "pointerover", "dragenter"])
  document.addEventListener(event, turnTo);

function turnTo({ target }) {
  for (const [name, places] of Object.entries(later))
    if (target.closest?.(places)) load(name).then(() => delete later[name], ignore);
}
