import type { Ctx } from "../../context.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import type { Translator } from "../languages/translator.ts";
import type { Reader } from "../languages/reader.ts";

/** Names of entries, as in their messages and icons. */
type Name =
  | "home"
  | "explore"
  | "search"
  | "notifications"
  | "profile"
  | "settings"
  | "moderation"
  | "login"
  | "signup";

interface NavEntry {
  href: string;
  label: string;
  icon: string;
  current: boolean;
  /** True if it is in the account menu: a phone's bar has room for five entries. */
  inMenu: boolean;
  /** Number of new items, and a sentence for screen readers. */
  badge?: string | undefined;
  spoken?: string | undefined;
}

/** `unread`: number of notifications that the viewer has not seen. */
export function presentNavigation(
  ctx: Ctx,
  { viewer, words }: Reader,
  path: string,
  unread: number,
): NavEntry[] {
  const entries: [href: string, name: Name][] =
    viewer === undefined
      ? [
          ["/", "home"],
          ["/explore", "explore"],
          ["/search", "search"],
          ["/login", "login"],
          ["/signup", "signup"],
        ]
      : [
          ["/", "home"],
          ["/explore", "explore"],
          ["/search", "search"],
          ["/notifications", "notifications"],
          [`/@${viewer.name}`, "profile"],
          ["/settings/profile", "settings"],
        ];
  if (viewer !== undefined && isAdmin(ctx, viewer)) entries.push(["/admin", "moderation"]);
  return entries.map(([href, name]) => ({
    href,
    label: words.t(`nav.${name}`),
    icon: name,
    current: path === href || path.startsWith(sections[name] ?? "\0"),
    inMenu: name in sections,
    ...(name === "notifications" ? presentUnread(words, unread) : {}),
  }));
}

/** Entries that include all pages below a path. */
const sections: Readonly<Record<string, string>> = { settings: "/settings/", moderation: "/admin" };

const mostCounted = 99;

function presentUnread(words: Translator, unread: number): Pick<NavEntry, "badge" | "spoken"> {
  if (unread === 0) return {};
  const badge = unread > mostCounted ? `${mostCounted}+` : String(unread);
  return { badge, spoken: words.t("nav.notificationsNew", { shown: badge }) };
}
