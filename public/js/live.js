// News for an open page. A hidden page closes its connection, as browsers allow only a few. When it is
// shown again, the server sends the current state.

import { element } from "./dom.js";
import { loadExtra } from "./load.js";
import { words } from "./words.js";

const mostNews = 50;
const mostUnread = 99;
/** Milliseconds after a refusal. The browser itself restores a broken connection. */
const patience = 60_000;

/** What the title counts. */
const unread = { notifications: 0, messages: 0 };
let source;
let again;

function open() {
  close();
  const { live } = document.body.dataset;
  if (live === undefined || document.hidden) return;
  const place = document.querySelector("[data-live-after]");
  source = new EventSource(place === null ? live : `${live}?${shownBy(place)}`);
  for (const [event, key, href] of [
    ["home", "script.newTweets", "/"],
    ["list", "script.newTweets", location.pathname],
    ["replies", "script.newReplies", location.pathname],
  ])
    source.addEventListener(event, ({ data }) => showNews(place, Number(data), { key, href }));
  source.addEventListener("conversation", ({ data }) => {
    if (data !== "0") void loadExtra().then((extra) => extra?.showMessages(place, open));
  });
  for (const [event, key] of [
    ["notifications", "nav.notificationsNew"],
    ["messages", "nav.messagesNew"],
  ])
    source.addEventListener(event, ({ data }) => showUnread(event, key, Number(data)));
  source.addEventListener("reports", ({ data }) => {
    void loadExtra().then((extra) => extra?.showReports(Number(data), mostUnread));
  });
  source.addEventListener("end", close);
  source.addEventListener("error", ({ target }) => {
    if (target === source && target.readyState === EventSource.CLOSED)
      again = setTimeout(open, patience);
  });
}

function close() {
  clearTimeout(again);
  source?.close();
  source = undefined;
}

/** What the page shows already, as a query: "?after=…&thread=…". */
function shownBy({ dataset }) {
  const shown = Object.entries(dataset).filter(([name]) => name.startsWith("live"));
  return new URLSearchParams(shown.map(([name, value]) => [name.slice(4).toLowerCase(), value]));
}

function showNews(place, count, { key, href }) {
  if (place === null) return;
  if (count === 0) {
    place.replaceChildren();
    return;
  }
  const link = place.querySelector("a") ?? element("a");
  const textContent = words.t(key, { count, shown: capped(count, mostNews) });
  Object.assign(link, { className: "live-pill", href, textContent });
  if (!link.isConnected) place.append(link);
}

function showUnread(event, key, count) {
  const link = document.querySelector(`.main-nav a[href="/${event}"]`);
  if (link === null) return;
  const shown = capped(count, mostUnread);
  link.querySelector(".main-nav-badge")?.remove();
  link.ariaLabel = count > 0 ? words.t(key, { shown }) : null;
  if (count > 0) link.append(element("span", { className: "main-nav-badge" }, shown));
  unread[event] = count;
  const all = unread.notifications + unread.messages;
  const title = document.title.replace(/^\(\d+\+?\) /, "");
  document.title = all > 0 ? `(${capped(all, mostUnread)}) ${title}` : title;
}

function capped(count, most) {
  return count > most ? `${most}+` : String(count);
}

export function hearNews() {
  document.addEventListener("turbo:load", open);
  // A refused form shows the page as it is now, without a load.
  document.addEventListener("turbo:render", ({ detail }) => {
    if (detail.renderMethod === "morph") open();
  });
  document.addEventListener("turbo:before-cache", close);
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) open();
  });
}
