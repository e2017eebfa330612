// A deleted tweet goes from the page with a word, and the focus moves to the tweet after it. After a list or draft the next page says so.
import { toast } from "./announce.js";
import { words } from "./words.js";

const say = () => toast(words.t("script.deleted"));
const sayOnNextPage = () => document.addEventListener("turbo:load", say, { once: true });

document.addEventListener("turbo:submit-end", ({ detail: { success, formSubmission } }) => {
  const { location, result } = formSubmission;
  if (!success || !/^\/(tweets|lists|drafts)\/\d+\/delete$/.test(location.pathname)) return;
  if (result.fetchResponse.redirected) sayOnNextPage();
  else say();
});

document.addEventListener("turbo:before-stream-render", ({ target: stream }) => {
  if (stream.action !== "remove") return;
  for (const gone of stream.targetElements) leave(gone);
});

function leave(gone) {
  const next = gone.nextElementSibling ?? gone.previousElementSibling;
  if (next === null) {
    // An empty list has a message, which the server writes.
    sayOnNextPage();
    // An import would bring a second Turbo along.
    window.Turbo.visit(location.href, { action: "replace" });
  } else if (gone.contains(document.activeElement)) {
    const place = next.querySelector("article, a") ?? next;
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  }
}
