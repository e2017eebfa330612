import type { Ctx } from "../../context.ts";
import { isAdmin } from "../../domain/users/admins.ts";
import type { User } from "../../domain/users/store.ts";

interface NavEntry {
  href: string;
  label: string;
  icon: string;
  current: boolean;
  /** In the menu of the account: the bar of a phone has room for five entries. */
  inMenu: boolean;
  /** What is new there: a number, and in words for whoever does not see it beside the label. */
  badge?: string | undefined;
  spoken?: string | undefined;
}

/** `unread` is the number of notifications that are new to the viewer. */
export function presentNavigation(
  ctx: Ctx,
  viewer: User | undefined,
  path: string,
  unread: number,
): NavEntry[] {
  const entries =
    viewer === undefined
      ? [
          ["/", "Home", "home"],
          ["/explore", "Explore", "explore"],
          ["/search", "Search", "search"],
          ["/login", "Log in", "login"],
          ["/signup", "Sign up", "signup"],
        ]
      : [
          ["/", "Home", "home"],
          ["/explore", "Explore", "explore"],
          ["/search", "Search", "search"],
          ["/notifications", "Notifications", "notifications"],
          [`/@${viewer.name}`, "Profile", "profile"],
          ["/settings/profile", "Settings", "settings"],
          ...(isAdmin(ctx, viewer) ? [["/admin", "Moderation", "moderation"]] : []),
        ];
  return entries.map(([href = "", label = "", icon = ""]) => ({
    href,
    label,
    icon,
    current: path === href || path.startsWith(sections[icon] ?? "\0"),
    inMenu: icon in sections,
    ...(icon === "notifications" ? presentUnread(label, unread) : {}),
  }));
}

/** Entries of which all pages below a path are a part. */
const sections: Readonly<Record<string, string>> = { settings: "/settings/", moderation: "/admin" };

const mostCounted = 99;

function presentUnread(label: string, unread: number): Pick<NavEntry, "badge" | "spoken"> {
  if (unread === 0) return {};
  const badge = unread > mostCounted ? `${mostCounted}+` : String(unread);
  return { badge, spoken: `${label}, ${badge} new` };
}
