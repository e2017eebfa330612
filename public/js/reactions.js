import { renderStreamMessage } from "@hotwired/turbo";
import { toast } from "./announce.js";
import { words } from "./words.js";

/** Changes by the latest presses, by the path of their tweet or user. */
const changes = new Map();
const most = 100;
let isReturning = false;

document.addEventListener("turbo:submit-end", ({ detail: { fetchResponse } }) => {
  if (fetchResponse === undefined) return;
  if (/turbo-stream/.test(fetchResponse.contentType)) void remember(fetchResponse);
  // Turbo clears its cache then, and the user may have logged out.
  else changes.clear();
});

// A page from the cache shows its buttons in their old state.
document.addEventListener("turbo:visit", ({ detail }) => {
  isReturning = detail.action === "restore";
});
document.addEventListener("turbo:load", () => {
  if (isReturning) for (const html of changes.values()) renderStreamMessage(html);
});

async function remember(answer) {
  const { pathname } = answer.location;
  const subject = pathname.replace(/\/[^/]*$/, "");
  if (pathname.endsWith("/retweet")) offerUndo(subject);
  const html = await answer.responseHTML;
  changes.delete(subject);
  changes.set(subject, html);
  if (changes.size > most) changes.delete(changes.keys().next().value);
}

function offerUndo(subject) {
  const undo = () =>
    document.querySelector(`main button[formaction^="${subject}/unretweet"]`)?.click();
  toast(words.t("script.retweeted"), { label: words.t("script.undo"), act: undo });
}
