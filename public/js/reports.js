import { words } from "./words.js";

/** On the account, and on the entry in its menu. Both are on the pages of moderators only. */
export function showReports(count, most) {
  const link = document.querySelector('.account-menu a[href="/admin"]');
  const account = document.querySelector(".account-link");
  if (link === null || account === null) return;
  for (const badge of document.querySelectorAll("[data-reports]")) badge.remove();
  link.removeAttribute("aria-label");
  if (count === 0) return;
  const shown = count > most ? `${most}+` : String(count);
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
