import { fileURLToPath } from "node:url";
import express, { type Express, type RequestHandler, Router } from "express";
import type { Ctx } from "../context.ts";
import { NotFound } from "../domain/errors.ts";
import { apiRoutes } from "./api/app.ts";
import { openAssets } from "./assets.ts";
import { type Languages, readLanguages } from "./languages/languages.ts";
import { recoveryForm } from "./forms/rescue.ts";
import { Hub } from "./live/hub.ts";
import { noticeProxy } from "./middleware/address.ts";
import { assets } from "./middleware/assets.ts";
import { bodies } from "./middleware/bodies.ts";
import { compressPages } from "./middleware/compress.ts";
import { refuseForeignPosts } from "./middleware/csrf.ts";
import { answerInTime } from "./middleware/answer-in-time.ts";
import { answerErrors, answerNotFound, answerPlainly } from "./middleware/errors.ts";
import { httpsOnly } from "./middleware/https-only.ts";
import { sendKeptPages } from "./middleware/kept-pages.ts";
import { language, languageOfViewer } from "./middleware/language.ts";
import { locals } from "./middleware/locals.ts";
import { logRequests } from "./middleware/log.ts";
import { showOwnWrites } from "./middleware/own-writes.ts";
import { receiveSmallForms } from "./middleware/pictures.ts";
import { keepAppsConnected, securityHeaders } from "./middleware/security.ts";
import { loadViewer, sessions } from "./middleware/session.ts";
import { noteShutOut, refuseShutOut } from "./middleware/shut-out.ts";
import { loadSite, refuseStrangers, requireSite } from "./middleware/site.ts";
import { closedSite } from "../domain/site/settings.ts";
import { contextWithDeadlines } from "../domain/deadline.ts";
import { unrecordedNow } from "../domain/scope.ts";
import { presentFace } from "./present/face.ts";
import { KeptPages } from "./kept-pages.ts";
import { outagesOf } from "./outages.ts";
import { aboutPages } from "./pages/about.ts";
import { adminPages } from "./pages/admin.ts";
import { accountPages } from "./pages/accounts.ts";
import { authorizePages } from "./pages/authorize.ts";
import { avatarPictures } from "./pages/avatars.ts";
import { bookmarkPages } from "./pages/bookmarks.ts";
import { announcementPages, facePages, logoIcons } from "./pages/face.ts";
import { feedPages } from "./pages/feeds.ts";
import { healthPages, refuseUnsafe, type RedisStatus } from "./pages/health.ts";
import { homePages } from "./pages/home.ts";
import { listPages } from "./pages/lists.ts";
import { livePages } from "./pages/live.ts";
import { metrics } from "./pages/metrics.ts";
import { oembedPages } from "./pages/oembed.ts";
import { notificationPages } from "./pages/notifications.ts";
import { provePages } from "./pages/prove.ts";
import { tweetPictures } from "./pages/pictures.ts";
import { profilePages } from "./pages/profiles.ts";
import { reportPages } from "./pages/reports.ts";
import { rescuePages } from "./pages/rescue.ts";
import { searchPages } from "./pages/search.ts";
import { settingsPages } from "./pages/settings/settings.ts";
import { startPages } from "./pages/start.ts";
import { sitemapPages } from "./pages/sitemap.ts";
import { tagPages } from "./pages/tags.ts";
import { tweetPages } from "./pages/tweets.ts";
import { wellKnownPages } from "./pages/well-known.ts";
import { viewEngine, viewFolder } from "./present/views.ts";

const folder = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** Options of the site, beside its context. */
export interface AppOptions {
  /** Signs session cookies. */
  secret: string;
  /** State of Redis as this process sees it. Without it, /readyz sends a PING. */
  redis?: RedisStatus;
  /** Aborted when the process is about to end: open streams end and /readyz refuses. */
  ending?: AbortSignal;
  /** Languages of the site; default: all files in web/languages. */
  languages?: Languages;
}

/** The site as a request listener. Does not listen. */
export function createApp(
  site: Ctx,
  { secret, redis, ending, languages = readLanguages() }: AppOptions,
): Express {
  const ctx = contextWithDeadlines(site);
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", ctx.config.trustProxy ?? false);
  app.set("query parser", "simple");
  // Browsers do not store a user's pages (no-store), and public pages change often: hashing is not worth it.
  app.set("etag", false);
  app.set("views", viewFolder);
  app.engine("pug", viewEngine(ctx.config));
  app.set("view engine", "pug");
  if (!ctx.config.reloadViews) app.enable("view cache");

  const current = openAssets(folder("dist"), ctx.config.reloadViews);
  Object.defineProperty(app.locals, "assets", { get: () => current().addresses, enumerable: true });
  app.locals.face = presentFace(closedSite(ctx));

  const outages = outagesOf(languages, current().addresses);
  const hub = new Hub(ctx);
  ending?.addEventListener("abort", () => hub.close(), { once: true });

  const kept = new KeptPages(ctx.config.pageBytes, () => unrecordedNow(ctx));
  const measured = metrics(ctx, kept);
  app.use(expectListeners);
  app.use(noticeProxy(ctx));
  app.use(logRequests(ctx));
  app.use(measured.count);
  app.use(noteShutOut(ctx));
  app.use(showOwnWrites(ctx));
  app.use(sendKeptPages(ctx, languages, kept));
  app.use(securityHeaders(ctx));
  app.use(language(languages));
  app.use(answerInTime(ctx, outages));
  app.use(healthPages(ctx, redis, ending));
  app.use(measured.pages);
  app.use(httpsOnly(ctx));
  app.use(logoIcons(ctx));
  app.use(assets(current));
  app.use(loadSite(ctx));
  app.use(refuseShutOut);
  app.use(compressPages());
  app.use(refuseNoPath);
  app.use(refuseUnsafe(redis));
  app.use(Router().use(...refuseStrangers(sessions(ctx, secret), loadViewer(ctx))));
  app.use(facePages(ctx));
  app.use(avatarPictures(ctx));
  app.use(tweetPictures(ctx));
  app.use(feedPages(ctx));
  app.use(oembedPages(ctx));
  app.use(sitemapPages(ctx));
  app.use(apiRoutes(ctx, hub));
  app.use(wellKnownPages(ctx));
  app.use(refuseForeignPosts(ctx));
  // Parsed before the session is read: an outage page can then offer the input for sending again.
  app.use(bodies());
  app.use(receiveSmallForms());
  app.use(requireSite);
  app.use(sessions(ctx, secret));
  app.use(loadViewer(ctx));
  app.use(languageOfViewer(languages));
  app.use(locals(ctx));

  app.use(["/login", "/signup", "/prove", recoveryForm.action], keepAppsConnected);

  app.use(homePages(ctx));
  app.use(bookmarkPages(ctx));
  app.use(listPages(ctx));
  app.use(livePages(ctx, hub));
  app.use(adminPages(ctx, secret));
  app.use(accountPages(ctx, secret));
  app.use(rescuePages(ctx, secret));
  app.use(authorizePages(ctx, secret));
  app.use(provePages(ctx, secret));
  app.use(settingsPages(ctx, { languages, secret }));
  app.use(startPages(ctx));
  app.use(notificationPages(ctx));
  app.use(searchPages(ctx));
  app.use(tagPages(ctx));
  app.use(tweetPages(ctx));
  app.use(profilePages(ctx));
  app.use(reportPages(ctx));
  app.use(aboutPages(ctx));
  app.use(announcementPages());
  app.use(answerNotFound);
  app.use(answerErrors(ctx, outages));
  app.use(answerPlainly);
  return app;
}

/** The log, limits, the session, reserved bytes and files each wait for the end of the answer: more than Node expects. */
const expectListeners: RequestHandler = (_req, res, next) => {
  res.setMaxListeners(20);
  next();
};

/** `OPTIONS *` asks about the server, not about a path, and has no session. */
const refuseNoPath: RequestHandler = (req, _res, next) => {
  next(req.url === "*" ? new NotFound("no path") : undefined);
};
