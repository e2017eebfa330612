import type { Ctx } from "../../context.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import type { Reader, Translator } from "../languages/translator.ts";

/** Addresses and names of entries. A name is part of the key of its message, and the name of its icon. */
const signedOutEntries = [
  ["/", "home"],
  ["/explore", "explore"],
  ["/search", "search"],
  ["/login", "login"],
  ["/signup", "signup"],
] as const;
const signedInEntries = [
  ["/", "home"],
  ["/explore", "explore"],
  ["/search", "search"],
  ["/notifications", "notifications"],
  ["/@", "profile"],
  ["/bookmarks", "bookmarks"],
  ["/settings/profile", "settings"],
] as const;
const adminEntry = ["/admin", "moderation"] as const;

type Entry =
  (typeof signedOutEntries)[number] | (typeof signedInEntries)[number] | typeof adminEntry;

/** Entries that include all pages below a path. They are in the account menu: a phone's bar has room for five. */
const sections: Readonly<Record<string, string>> = {
  bookmarks: "/bookmarks",
  settings: "/settings/",
  moderation: "/admin",
};

/** `unread`: number of notifications that the viewer has not seen. */
export function presentNavigation(
  ctx: Ctx,
  { viewer, words }: Reader,
  path: string,
  unread: number,
) {
  const entries: Entry[] = [...(viewer === undefined ? signedOutEntries : signedInEntries)];
  if (viewer !== undefined && isAdmin(ctx, viewer)) entries.push(adminEntry);
  return entries.map(([address, name]) => {
    const href = name === "profile" ? `${address}${viewer?.name}` : address;
    return {
      href,
      label: words.t(`nav.${name}`),
      icon: name,
      current: path === href || path.startsWith(sections[name] ?? "\0"),
      inMenu: name in sections,
      ...(name === "notifications" ? presentUnread(words, unread) : {}),
    };
  });
}

const mostCounted = 99;

/** Number of new items, and a sentence for screen readers. */
function presentUnread(words: Translator, unread: number) {
  if (unread === 0) return {};
  const badge = unread > mostCounted ? `${mostCounted}+` : String(unread);
  return { badge, spoken: words.t("nav.notificationsNew", { shown: badge }) };
}
