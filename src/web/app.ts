import { fileURLToPath } from "node:url";
import express, { type Express, type RequestHandler, Router } from "express";
import type { Ctx } from "../context.ts";
import { NotFound } from "../domain/errors.ts";
import { apiRoutes } from "./api/app.ts";
import { assets, openAssets } from "./server/assets.ts";
import { type Languages, readLanguages } from "./languages/translator.ts";
import { recoveryForm } from "./site/sign-in/form.ts";
import { Hub } from "./live/hub.ts";
import { noteIpBlock, noticeProxy, refuseIpBlock } from "./request/address.ts";
import { bodies } from "./request/uploads.ts";
import { compressPages } from "./server/compress.ts";
import {
  httpsOnly,
  keepAppsConnected,
  refuseForeignPosts,
  securityHeaders,
} from "./request/security.ts";
import { answerInTime } from "./server/deadline.ts";
import { answerErrors, answerNotFound, answerPlainly } from "./request/errors.ts";
import { sendKeptPages, showOwnWrites } from "./server/cached-answers.ts";
import { language, languageOfViewer } from "./request/reader.ts";
import { loadSite, locals, refuseStrangers, requireSite } from "./request/site.ts";
import { logRequests } from "./request/log.ts";
import { receiveSmallForms } from "./request/pictures.ts";
import { loadViewer, sessions } from "./request/session.ts";
import { closedSite } from "../domain/site/settings.ts";
import { contextWithDeadlines } from "../domain/deadline.ts";
import { withoutCachingNow } from "../domain/scope.ts";
import { presentBranding } from "./layout/branding.ts";
import { KeptPages } from "./server/page-cache.ts";
import { outagePagesOf } from "./server/error-503.ts";
import { aboutPages, sitemapPages, wellKnownPages } from "./site/about/routes.ts";
import { adminPages } from "./site/admin/routes.ts";
import { accountPages } from "./site/sign-in/routes.ts";
import { authorizePages } from "./site/apps/routes.ts";
import { avatarPictures, tweetPictures } from "./site/pictures/routes.ts";
import { draftPages } from "./site/drafts/routes.ts";
import { notificationPages } from "./site/notifications/routes.ts";
import { homePages } from "./site/home/routes.ts";
import { announcementPages, brandingPages, logoIcons } from "./site/branding/routes.ts";
import { feedPages } from "./site/feeds/routes.ts";
import { healthPages, type RedisStatus, refuseUnsafe } from "./site/monitoring/routes.ts";
import { listChoicePages } from "./site/lists/choice-routes.ts";
import { listPages } from "./site/lists/routes.ts";
import { livePages } from "./site/live/routes.ts";
import { metrics } from "./site/monitoring/metrics-routes.ts";
import { oembedPages } from "./site/oembed/routes.ts";
import { messagePages } from "./site/messages/routes.ts";
import { provePages } from "./site/sign-in/code-routes.ts";
import { profilePages } from "./site/profile/routes.ts";
import { reportPages } from "./site/moderation/report-routes.ts";
import { rescuePages } from "./site/sign-in/rescue-routes.ts";
import { searchPages } from "./site/search/routes.ts";
import { settingsPages } from "./site/settings/routes.ts";
import { startPages } from "./site/sign-in/start-routes.ts";
import { tweetPages } from "./site/tweets/routes.ts";
import { viewEngine, viewFolder } from "./layout/templates.ts";

const built = fileURLToPath(new URL("../../dist", import.meta.url));

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

  const current = openAssets(built, ctx.config.reloadViews);
  Object.defineProperty(app.locals, "assets", { get: () => current().addresses, enumerable: true });
  app.locals.branding = presentBranding(closedSite(ctx));

  const outages = outagePagesOf(languages, current().addresses);
  const hub = new Hub(ctx);
  ending?.addEventListener("abort", () => hub.close(), { once: true });

  const pages = new KeptPages(ctx.config.pageBytes, () => withoutCachingNow(ctx));
  const measured = metrics(ctx, pages, hub);
  app.use(expectListeners);
  app.use(noticeProxy(ctx));
  app.use(logRequests(ctx));
  app.use(measured.count);
  app.use(noteIpBlock(ctx));
  app.use(showOwnWrites(ctx));
  app.use(sendKeptPages(ctx, languages, pages));
  app.use(securityHeaders(ctx));
  app.use(language(languages));
  app.use(answerInTime(ctx, outages));
  app.use(healthPages(ctx, redis, ending));
  app.use(measured.pages);
  app.use(httpsOnly(ctx));
  app.use(logoIcons(ctx));
  app.use(assets(current));
  app.use(loadSite(ctx));
  app.use(refuseIpBlock);
  app.use(compressPages());
  app.use(refuseNoPath);
  app.use(refuseUnsafe(redis));
  app.use(Router().use(...refuseStrangers(sessions(ctx, secret), loadViewer(ctx))));
  app.use(openPages(ctx, secret));
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

  app.use(sessionPages(ctx, hub, { languages, secret }));
  app.use(answerNotFound);
  app.use(answerErrors(ctx, outages));
  app.use(answerPlainly);
  return app;
}

/** What needs no session: pictures, feeds, files for machines. */
function openPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  brandingPages(router, ctx);
  avatarPictures(router, ctx);
  tweetPictures(router, ctx, secret);
  feedPages(router, ctx);
  oembedPages(router, ctx);
  sitemapPages(router, ctx);
  return router;
}

/** Pages of readers, whom the session names. */
function sessionPages(
  ctx: Ctx,
  hub: Hub,
  { languages, secret }: { languages: Languages; secret: string },
): Router {
  const router = Router();
  homePages(router, ctx);
  listPages(router, ctx);
  listChoicePages(router, ctx);
  livePages(router, ctx, hub);
  adminPages(router, ctx, secret);
  accountPages(router, ctx, secret);
  rescuePages(router, ctx, secret);
  authorizePages(router, ctx, secret);
  provePages(router, ctx, secret);
  settingsPages(router, ctx, { languages, secret });
  startPages(router, ctx);
  notificationPages(router, ctx);
  messagePages(router, ctx);
  searchPages(router, ctx);
  tweetPages(router, ctx);
  draftPages(router, ctx);
  profilePages(router, ctx);
  reportPages(router, ctx);
  aboutPages(router, ctx);
  announcementPages(router);
  return router;
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
