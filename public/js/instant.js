// Likes, retweets, bookmarks and follows show at once. Those that fail are taken back; failures.js says why.
import { words } from "./words.js";

/** By submission: puts the buttons back as they were. */
const undo = new WeakMap();

document.addEventListener("turbo:submit-start", ({ detail: { formSubmission } }) => {
  const { pathname } = new URL(formSubmission.action);
  const [, subject, verb] = /^(.*)\/(?:un)?(like|retweet|bookmark|follow)$/.exec(pathname) ?? [];
  // Without a session the answer is the log-in page.
  if (verb === undefined || document.body.dataset.live === undefined) return;
  const buttons =
    verb === "follow"
      ? `form.follow:not([data-asks])[action^="${subject}/"] > button`
      : `form.tweet-actions[action^="${subject}/"] > [formaction*="${verb}"]`;
  const all = [...document.querySelectorAll(buttons)].map((button) => flip(button, verb));
  undo.set(formSubmission, () => all.forEach((takeBack) => takeBack()));
});

document.addEventListener("turbo:submit-end", ({ detail: { formSubmission, success } }) => {
  if (success === false) undo.get(formSubmission)?.();
});

/** Shows the button in its other state, and returns how to take that back. */
function flip(button, verb) {
  const { className, ariaPressed, ariaLabel, innerHTML } = button;
  if (verb === "follow") flipFollow(button);
  else if (verb === "bookmark")
    button.className = className === "bookmark" ? "bookmarked" : "bookmark";
  else flipCount(button);
  return () => Object.assign(button, { className, ariaPressed, ariaLabel, innerHTML });
}

function flipFollow(button) {
  const isOn = button.classList.contains("button-quiet");
  button.classList.toggle("button-quiet", !isOn);
  button.classList.toggle("button-primary", isOn);
  button.firstChild.data = words.t(isOn ? "person.follow" : "person.unfollow");
}

function flipCount(button) {
  const isOn = button.ariaPressed === "true";
  const name = button.ariaLabel?.replace(/ \S*$/, "") ?? button.title;
  button.ariaPressed = String(!isOn);
  const count = Number(button.textContent) + (isOn ? -1 : 1);
  // Large numbers are not exact: "1.2K".
  if (!(count >= 0)) return;
  button.textContent = count || "";
  button.ariaLabel = `${name} ${button.textContent}`;
}
