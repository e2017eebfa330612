import { announce } from "./announce.js";
import { readPage } from "./dom.js";
import { watchPage } from "./older.js";

/**
 * Shows new messages in the open conversation; reading its page marks them as read. Then `listen` asks for what comes
 * after them.
 */
export async function showMessages(place, listen) {
  const page = await readPage(location.pathname);
  const fresh = page?.querySelector("[data-live-conversation]");
  const news = page?.querySelector("main ol.timeline");
  if (!fresh || !news || !place.isConnected) return;
  const list = document.querySelector("main ol.timeline");
  const unread = [...news.children].filter(isNew);
  if (list !== null && unread.length < news.children.length) list.prepend(...unread);
  else {
    // More may have come than a page shows: its pager leads on.
    for (const old of [list, document.querySelector("main .pager")]) old?.remove();
    place.after(news, ...page.querySelectorAll("main .pager"));
    watchPage();
  }
  announce(place.dataset.spoken);
  place.dataset.liveAfter = fresh.dataset.liveAfter;
  listen();
}

function isNew(item) {
  return document.getElementById(item.querySelector("article")?.id) === null;
}
