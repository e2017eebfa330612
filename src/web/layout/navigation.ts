import type { Ctx } from "../../context.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { countRequests } from "../../domain/graph/follow-requests.ts";
import { withNext } from "./form.ts";
import { countUnreadConversations } from "../../domain/messages/conversations.ts";
import { countUnreadGroups } from "../../domain/notifications/grouped.ts";
import { isAdmin, isModerator } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
import type { Key, Reader, Translator } from "../languages/translator.ts";

/** Names of entries: each is part of the key of its message, and the name of its icon. */
const signedOutEntries = ["home", "explore", "search", "login", "signup"] as const;
const signedInEntries = [
  "home",
  "explore",
  "search",
  "notifications",
  "messages",
  "profile",
  "bookmarks",
  "lists",
  "settings",
] as const;

type Entry =
  (typeof signedOutEntries)[number] | (typeof signedInEntries)[number] | "requests" | "moderation";

/** Entries in the account menu: a phone's bar has room for six. */
const inMenu = new Set<Entry>(["bookmarks", "lists", "settings", "requests", "moderation"]);
/** Entries that include all pages below a path. */
const includesMore = new Set<Entry>([...inMenu, "messages"]);

/** What the number beside an entry counts, in a sentence for screen readers. */
const badgeKeys = {
  notifications: "nav.notificationsNew",
  messages: "nav.messagesNew",
  requests: "nav.requestsOpen",
  moderation: "nav.reportsOpen",
} as const satisfies Partial<Record<Entry, Key>>;

type Badges = Record<keyof typeof badgeKeys, number>;

/**
 * Numbers beside entries: new notifications, conversations with unread messages, users who ask to follow a protected
 * viewer, and reports that wait for a viewer who decides on them. Read through the memory: a kept page is made again
 * when one changes.
 */
export async function readBadges(ctx: Ctx, viewer: User | undefined): Promise<Badges> {
  if (viewer === undefined) return { notifications: 0, messages: 0, requests: 0, moderation: 0 };
  const [notifications, messages, requests, moderation] = await Promise.all([
    countUnreadGroups(ctx, viewer),
    countUnreadConversations(ctx, viewer),
    viewer.protected ? countRequests(ctx, viewer.id) : 0,
    isModerator(ctx, viewer) ? countOpenCases(ctx) : 0,
  ]);
  return { notifications, messages, requests, moderation };
}

/** `next`: where signing in or up leads. */
export function presentNavigation(
  ctx: Ctx,
  { viewer, words }: Reader,
  { path, next }: { path: string; next: string },
  badges: Badges,
) {
  const entries: Entry[] = [...(viewer === undefined ? signedOutEntries : signedInEntries)];
  if (viewer?.protected === true) entries.push("requests");
  if (viewer !== undefined && isModerator(ctx, viewer)) entries.push("moderation");
  const paths: Partial<Record<Entry, string>> = {
    home: "/",
    profile: `/@${viewer?.name}`,
    requests: "/follow-requests",
    moderation: "/admin",
    login: withNext("/login", next),
    signup: withNext("/signup", next),
  };
  return entries.map((name) => {
    const href = paths[name] ?? `/${name}`;
    const isForAdmin = name === "moderation" && viewer !== undefined && isAdmin(ctx, viewer);
    return {
      href,
      label: words.t(`nav.${isForAdmin ? "administration" : name}`),
      icon: name,
      current:
        path === href.replace(/\?.*/, "") || (includesMore.has(name) && path.startsWith(href)),
      inMenu: inMenu.has(name),
      // Phones have room for six entries.
      isWide: name === "moderation",
      ...(name in badgeKeys ? presentBadge(words, name as keyof Badges, badges) : {}),
    };
  });
}

const mostCounted = 99;

/** A number, and a sentence with it. */
function presentBadge(words: Translator, name: keyof Badges, { [name]: count }: Badges) {
  if (count === 0) return {};
  const badge = count > mostCounted ? `${mostCounted}+` : String(count);
  return { badge, spoken: words.t(badgeKeys[name], { shown: badge }) };
}
