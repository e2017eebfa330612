import { renderStreamMessage } from "@hotwired/turbo";
import { toast } from "./announce.js";
import { words } from "./words.js";

/** What the latest presses have changed, by the path of what they were about. */
const changes = new Map();
const most = 100;
let isReturning = false;

document.addEventListener("turbo:before-fetch-response", ({ detail: { fetchResponse } }) => {
  const { response, location } = fetchResponse;
  if (!/turbo-stream/.test(response.headers.get("Content-Type"))) return;
  const subject = location.pathname.replace(/\/[^/]*$/, "");
  void response
    .clone()
    .text()
    .then((html) => {
      changes.delete(subject);
      changes.set(subject, html);
      if (changes.size > most) changes.delete(changes.keys().next().value);
    });
  if (location.pathname.endsWith("/retweet")) offerUndo(subject);
});

// A page that is shown again as it was has its buttons as they were.
document.addEventListener(
  "turbo:visit",
  ({ detail }) => (isReturning = detail.action === "restore"),
);
document.addEventListener("turbo:load", () => {
  if (isReturning) for (const html of changes.values()) renderStreamMessage(html);
});

function offerUndo(subject) {
  const undo = () =>
    document.querySelector(`main button[formaction^="${subject}/unretweet"]`)?.click();
  toast(words.retweeted, { label: words.undo, act: undo });
}
