import type { Ctx } from "../../context.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { withNext } from "./form.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import { isAdmin, isModerator } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
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
  ["/lists", "lists"],
  ["/settings", "settings"],
] as const;
const adminEntry = ["/admin", "moderation"] as const;

type Entry =
  (typeof signedOutEntries)[number] | (typeof signedInEntries)[number] | typeof adminEntry;

/** Entries that include all pages below a path. They are in the account menu: a phone's bar has room for five. */
const sections: Readonly<Record<string, string>> = {
  bookmarks: "/bookmarks",
  lists: "/lists",
  settings: "/settings",
  moderation: "/admin",
};

/** Numbers beside entries. */
interface Badges {
  /** Notifications that the viewer has not seen. */
  unread: number;
  /** Reports that wait for a decision; 0 for users who do not decide. */
  reports: number;
}

/** Read through the memory: a kept page is made again when a number changes. */
export async function readBadges(ctx: Ctx, viewer: User | undefined): Promise<Badges> {
  if (viewer === undefined) return { unread: 0, reports: 0 };
  const [unread, reports] = await Promise.all([
    countUnreadGroups(ctx, viewer),
    isModerator(ctx, viewer) ? countOpenCases(ctx) : 0,
  ]);
  return { unread, reports };
}

/** `next`: where signing in or up leads. */
export function presentNavigation(
  ctx: Ctx,
  { viewer, words }: Reader,
  { path, next }: { path: string; next: string },
  { unread, reports }: Badges,
) {
  const entries: Entry[] = [...(viewer === undefined ? signedOutEntries : signedInEntries)];
  if (viewer !== undefined && isModerator(ctx, viewer)) entries.push(adminEntry);
  return entries.map(([address, name]) => {
    const href = name === "profile" ? `${address}${viewer?.name}` : address;
    const isForAdmin = name === "moderation" && viewer !== undefined && isAdmin(ctx, viewer);
    const label = isForAdmin ? "administration" : name;
    const leadsOn = name === "login" || name === "signup";
    return {
      href: leadsOn ? withNext(href, next) : href,
      label: words.t(`nav.${label}`),
      icon: name,
      current: path === href || path.startsWith(sections[name] ?? "\0"),
      inMenu: name in sections,
      // Phones have room for five entries.
      isWide: name === "moderation",
      ...(name === "notifications" ? presentBadge(words, "nav.notificationsNew", unread) : {}),
      ...(name === "moderation" ? presentBadge(words, "nav.reportsOpen", reports) : {}),
    };
  });
}

const mostCounted = 99;

/** A number, and a sentence with it for screen readers. */
function presentBadge(
  words: Translator,
  sentence: "nav.notificationsNew" | "nav.reportsOpen",
  count: number,
) {
  if (count === 0) return {};
  const badge = count > mostCounted ? `${mostCounted}+` : String(count);
  return { badge, spoken: words.t(sentence, { shown: badge }) };
}
