// News for an open page. A hidden page closes its connection, as browsers allow only a few. When it is
// shown again, the server sends the current state.

import { words } from "./words.js";

const mostNews = 50;
const mostUnread = 99;
/** Milliseconds after a refusal. The browser itself restores a broken connection. */
const patience = 60_000;

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
  source.addEventListener("notifications", ({ data }) => showUnread(Number(data)));
  source.addEventListener("reports", ({ data }) => showReports(Number(data)));
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

/** What the page shows already, as a query. */
function shownBy({ dataset }) {
  const { liveAfter: after, liveThread: thread, liveList: list } = dataset;
  return new URLSearchParams({ after, ...(thread && { thread }), ...(list && { list }) });
}

function showNews(place, count, { key, href }) {
  if (place === null) return;
  if (count === 0) {
    place.replaceChildren();
    return;
  }
  const link = place.querySelector("a") ?? document.createElement("a");
  link.className = "live-pill";
  link.href = href;
  link.textContent = words.t(key, { count, shown: capped(count, mostNews) });
  if (!link.isConnected) place.append(link);
}

function showUnread(count) {
  const link = document.querySelector('.main-nav a[href="/notifications"]');
  if (link === null) return;
  const shown = capped(count, mostUnread);
  link.querySelector(".main-nav-badge")?.remove();
  link.removeAttribute("aria-label");
  if (count > 0) {
    const badge = document.createElement("span");
    badge.className = "main-nav-badge";
    badge.textContent = shown;
    link.append(badge);
    link.setAttribute("aria-label", words.t("nav.notificationsNew", { shown }));
  }
  const title = document.title.replace(/^\(\d+\+?\) /, "");
  document.title = count > 0 ? `(${shown}) ${title}` : title;
}

/** On the account, and on the entry in its menu. Both are on the pages of moderators only. */
function showReports(count) {
  const link = document.querySelector('.account-menu a[href="/admin"]');
  const account = document.querySelector(".account-link");
  if (link === null || account === null) return;
  for (const badge of document.querySelectorAll("[data-reports]")) badge.remove();
  link.removeAttribute("aria-label");
  if (count === 0) return;
  const shown = capped(count, mostUnread);
  const spoken = words.t("nav.reportsOpen", { shown });
  link.setAttribute("aria-label", spoken);
  for (const [place, name] of [
    [link, "account-entry-badge"],
    [account, "account-badge"],
  ]) {
    const badge = document.createElement("span");
    badge.className = name;
    badge.dataset.reports = "";
    badge.textContent = shown;
    place.append(badge);
    if (place === account) {
      badge.setAttribute("role", "img");
      badge.setAttribute("aria-label", spoken);
    }
  }
}

function capped(count, most) {
  return count > most ? `${most}+` : String(count);
}

export function hearNews() {
  document.addEventListener("turbo:load", open);
  document.addEventListener("turbo:before-cache", close);
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) open();
  });
}
