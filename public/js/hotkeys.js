import { element, kept, onPage } from "./dom.js";
import { loadExtra } from "./load.js";
import { words } from "./words.js";

/** Milliseconds between g and the letter after it. */
const patience = 1500;

/** Users of speech input can turn the shortcuts off: see help.js. */
const isOff = () => kept.read("hotkeys") === "off";

const showHelp = async () => (await loadExtra())?.showHelp();
const press = (selector) => document.querySelector(selector)?.click();
const onTweet = (selector) => current()?.querySelector(selector)?.click();

const acts = {
  j: () => move(1),
  k: () => move(-1),
  n: write,
  r: () => onTweet(".tweet-actions .reply"),
  t: () => onTweet(".tweet-actions .retweet"),
  l: () => onTweet(".tweet-actions .like"),
  Enter: () => onTweet("a.tweet-time"),
  "/": search,
  "?": showHelp,
};
const places = {
  h: () => press("a.brand"),
  e: () => press('.site-header a[href="/explore"]'),
  n: () => press('.site-header a[href="/notifications"]'),
  p: () => press('.site-header a[href^="/@"]'),
};
let goingUntil = 0;

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isOff()) return;
  if (target.closest("input, textarea, select, dialog, [contenteditable]")) return;
  const isGoing = event.timeStamp < goingUntil;
  goingUntil = key === "g" ? event.timeStamp + patience : 0;
  const from = isGoing ? places : acts;
  if (!Object.hasOwn(from, key)) return;
  // Enter on a link or a button keeps its meaning.
  if (key === "Enter" && !target.matches("article")) return;
  event.preventDefault();
  from[key]();
});

onPage(() => {
  const list = document.querySelector(".site-footer ul");
  if (list === null || list.querySelector("button") !== null) return;
  const button = { type: "button", className: "footer-button", onclick: () => void showHelp() };
  const item = element("li", {}, element("button", button, words.t("script.hotkeys")));
  // A copy of the page would have a button that does nothing.
  item.dataset.turboTemporary = "";
  list.append(item);
});

const tweets = () => [...document.querySelectorAll("main article.tweet")];

/** The focused tweet, else the tweet of the page. */
function current() {
  return (
    document.activeElement?.closest("article.tweet") ?? document.querySelector("main .tweet-large")
  );
}

function move(step) {
  const all = tweets();
  const at = all.indexOf(document.activeElement?.closest("article.tweet"));
  // Without a focused tweet, start at the first one in view.
  const next =
    at === -1 ? all.find((one) => one.getBoundingClientRect().bottom > 80) : all[at + step];
  if (next === undefined) return;
  next.tabIndex = -1;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function write() {
  const area = document.querySelector("form.composer:not(#reply) textarea");
  if (area === null) press("a.compose-link");
  else area.focus();
}

function search() {
  const field = [...document.querySelectorAll('input[type="search"]')].find((one) =>
    one.checkVisibility(),
  );
  if (field === undefined) press('.site-header a[href="/search"], .site-header a[href="/explore"]');
  else field.focus();
}
