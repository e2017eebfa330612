import { fileURLToPath } from "node:url";
import express, { type Express } from "express";
import type { Ctx } from "../context.ts";
import { bodies } from "./middleware/bodies.ts";
import { refuseForeignPosts } from "./middleware/csrf.ts";
import { answerErrors, answerNotFound } from "./middleware/errors.ts";
import { locals } from "./middleware/locals.ts";
import { logRequests } from "./middleware/log.ts";
import { securityHeaders } from "./middleware/security.ts";
import { loadViewer, sessions } from "./middleware/session.ts";
import { accountPages } from "./pages/accounts.ts";
import { explorePages } from "./pages/explore.ts";
import { healthPages } from "./pages/health.ts";
import { homePages } from "./pages/home.ts";
import { profilePages } from "./pages/profiles.ts";
import { settingsPages } from "./pages/settings.ts";
import { tweetPages } from "./pages/tweets.ts";

const folder = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** The site as a request listener; `secret` signs session cookies. Does not listen. */
export function createApp(ctx: Ctx, secret: string): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", ctx.config.trustProxy);
  app.set("query parser", "simple");
  app.set("views", folder("views"));
  app.set("view engine", "pug");
  if (!ctx.config.reloadViews) app.enable("view cache");

  app.use(logRequests(ctx));
  app.use(securityHeaders());
  app.use(healthPages(ctx));
  app.use(express.static(folder("public"), { index: false, maxAge: "1h" }));
  app.use(refuseForeignPosts(ctx));
  app.use(sessions(ctx, secret));
  app.use(loadViewer(ctx));
  app.use(locals(ctx));
  app.use(bodies());

  app.use(homePages(ctx));
  app.use(accountPages(ctx));
  app.use(settingsPages(ctx));
  app.use(explorePages(ctx));
  app.use(tweetPages(ctx));
  app.use(profilePages(ctx));
  app.use(answerNotFound);
  app.use(answerErrors(ctx));
  return app;
}
