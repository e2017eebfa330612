// The menu of a listed tweet is on the tweet's own page. The link leads there; the script opens the menu here.

import { readPage } from "./dom.js";
import { loadExtra } from "./load.js";

// A copy of the page must not keep a link busy for ever, nor a menu open.
document.addEventListener("turbo:before-cache", () => {
  for (const menu of document.querySelectorAll('details[name="menu"]')) menu.open = false;
  for (const link of document.querySelectorAll("a.tweet-menu")) link.ariaBusy = null;
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.tweet-menu");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.ariaBusy === null) void open(link);
});

async function open(link) {
  link.ariaBusy = "true";
  // It copies the link, and deletes.
  void loadExtra();
  const page = await readPage(link.href);
  link.ariaBusy = null;
  // Its page was left meanwhile.
  if (!link.isConnected) return;
  const menu = page?.querySelector(".tweet-large .tweet-menu");
  if (!menu) {
    location.assign(link.href);
    return;
  }
  menu.querySelector("#menu").removeAttribute("id");
  link.replaceWith(menu);
  menu.open = true;
  menu.querySelector("summary").focus();
}
