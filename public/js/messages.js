import { announce } from "./announce.js";
import { readPage } from "./dom.js";

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
  if (list === null) place.after(news);
  else list.prepend(...[...news.children].filter(isNew));
  announce(place.dataset.spoken);
  place.dataset.liveAfter = fresh.dataset.liveAfter;
  listen();
}

function isNew(item) {
  return document.getElementById(item.querySelector("article")?.id) === null;
}
