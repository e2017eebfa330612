import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import type { User } from "../../domain/users/store.ts";
import { siteOpenGraph } from "../present/open-graph.ts";
import { presentName } from "../present/people.ts";
import { viewerOf } from "./session.ts";

interface NavEntry {
  href: string;
  label: string;
  icon: string;
  current: boolean;
}

/** What every page shows around its content; and that nobody else may keep a copy of it. */
export function locals(ctx: Ctx): RequestHandler {
  return (req, res, next) => {
    const viewer = viewerOf(res);
    res.vary("Cookie");
    res.setHeader("Cache-Control", viewer === undefined ? "private, no-cache" : "no-store");
    res.locals["viewer"] = viewer && presentName(viewer);
    res.locals["nav"] = navigation(viewer, req.path);
    // Who shows links to others reads pages without an account; some pages say more of themselves.
    if (viewer === undefined && req.method === "GET")
      res.locals["og"] = siteOpenGraph(absoluteUrl(ctx, req, ""));
    res.locals["here"] = req.method === "GET" ? req.originalUrl : "/";
    next();
  };
}

function navigation(viewer: User | undefined, path: string): NavEntry[] {
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
          [`/@${viewer.name}`, "Profile", "profile"],
          ["/settings/profile", "Settings", "settings"],
        ];
  return entries.map(([href = "", label = "", icon = ""]) => ({
    href,
    label,
    icon,
    current: path === href || (icon === "settings" && path.startsWith("/settings/")),
  }));
}

/** An absolute URL of this site. */
export function absoluteUrl({ config }: Ctx, req: Request, path: string): string {
  return `${config.baseUrl ?? `${req.protocol}://${req.host}`}${path}`;
}
