import { announce } from "./announce.js";
import { onPage, readPage } from "./dom.js";
import { words } from "./words.js";

/** Max pages that load automatically. After that, users can reach the end of the page and press the link. */
const most = 10;

const lists = ["ol.timeline:not(.ancestors)", "ol.notifications", ".column > .panel > ul.people"];
let loaded = 0;

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) void load(target);
  },
  { rootMargin: "800px" },
);

const linksOf = (page) => page.querySelectorAll('main .pager a[rel="next"]');

onPage(watchPage);
// This page was shown before the script was loaded.
watchPage();
document.addEventListener("turbo:load", () => (loaded = 0));

export function watchPage() {
  observer.disconnect();
  for (const link of linksOf(document)) observer.observe(link);
}

/** Appends the page that the link leads to. If that fails, the link stays. */
async function load(link) {
  observer.unobserve(link);
  const list = lists.map((one) => document.querySelector(`main ${one}`)).find(Boolean);
  if (list === undefined || loaded >= most) return;
  loaded += 1;
  link.ariaBusy = "true";
  const page = await readPage(link.href);
  link.ariaBusy = null;
  // Meanwhile the user may have left the page or pressed the link.
  if (page === undefined || !link.isConnected) return;
  const items = lists.map((one) => page.querySelector(`main ${one}`)).find(Boolean)?.children ?? [];
  const fresh = [...items].filter((item) => !isThere(item));
  const hadFocus = link === document.activeElement;
  list.append(...fresh);
  const [next] = linksOf(page);
  if (next === undefined) link.closest(".pager").remove();
  else {
    // A new element, so the observer reports it again.
    link.replaceWith(next);
    observer.observe(next);
  }
  if (hadFocus) fresh[0]?.querySelector("a:not([tabindex])")?.focus();
  announce(words.t(next === undefined ? "script.end" : "script.olderBelow"));
}

function isThere(item) {
  const id = item.querySelector("article[id]")?.id;
  return id !== undefined && document.getElementById(id) !== null;
}
