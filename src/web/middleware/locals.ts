import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { countUnread } from "../../domain/tweets/notifications.ts";
import type { User } from "../../domain/users/store.ts";
import { siteOpenGraph } from "../present/open-graph.ts";
import { presentName } from "../present/people.ts";
import { viewerOf } from "./session.ts";

interface NavEntry {
  href: string;
  label: string;
  icon: string;
  current: boolean;
  /** What is new there: a number, and in words for whoever does not see it beside the label. */
  badge?: string | undefined;
  spoken?: string | undefined;
}

/** What every page shows around its content; and that nobody else may keep a copy of it. */
export function locals(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const viewer = viewerOf(res);
    res.vary("Cookie");
    res.setHeader("Cache-Control", viewer === undefined ? "private, no-cache" : "no-store");
    res.locals["viewer"] = viewer && presentName(viewer);
    // Who shows links to others reads pages without an account; some pages say more of themselves.
    if (viewer === undefined && req.method === "GET")
      res.locals["og"] = siteOpenGraph(absoluteUrl(ctx, req, ""));
    res.locals["here"] = req.method === "GET" ? req.originalUrl : "/";
    const unread = viewer === undefined ? 0 : await countUnread(ctx, viewer);
    res.locals["nav"] = navigation(viewer, req.path, unread);
    next();
  };
}

/** `unread` is the number of notifications that are new to the viewer. */
export function navigation(viewer: User | undefined, path: string, unread: number): NavEntry[] {
  const entries =
    viewer === undefined
      ? [
          ["/", "Home", "home"],
          ["/explore", "Explore", "explore"],
          ["/login", "Log in", "login"],
          ["/signup", "Sign up", "signup"],
        ]
      : [
          ["/", "Home", "home"],
          ["/explore", "Explore", "explore"],
          ["/notifications", "Notifications", "notifications"],
          [`/@${viewer.name}`, "Profile", "profile"],
          ["/settings/profile", "Settings", "settings"],
        ];
  return entries.map(([href = "", label = "", icon = ""]) => ({
    href,
    label,
    icon,
    current: path === href || (icon === "settings" && path.startsWith("/settings/")),
    ...(icon === "notifications" ? presentUnread(label, unread) : {}),
  }));
}

const mostCounted = 99;

function presentUnread(label: string, unread: number): Pick<NavEntry, "badge" | "spoken"> {
  if (unread === 0) return {};
  const badge = unread > mostCounted ? `${mostCounted}+` : String(unread);
  return { badge, spoken: `${label}, ${badge} new` };
}

/** An absolute URL of this site. */
export function absoluteUrl({ config }: Ctx, req: Request, path: string): string {
  return `${config.baseUrl ?? `${req.protocol}://${req.host}`}${path}`;
}
