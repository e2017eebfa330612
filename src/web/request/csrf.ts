import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses changes requested by pages of other sites, as browsers tell where a request comes from. A
 * client that does not tell is no browser, so no other site can use its cookie.
 */
export function refuseForeignPosts({ config }: Ctx): RequestHandler {
  return (req, _res, next) => {
    const allowed = safeMethods.has(req.method) || comesFromHere(req, config.baseUrl);
    next(allowed ? undefined : new Forbidden("cross-site request"));
  };
}

function comesFromHere(req: Request, baseUrl: string | undefined): boolean {
  const site = req.get("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = req.get("origin");
  if (origin === undefined) return true;
  // The scheme counts: on plain http a network can show any page under the site's name.
  return origin === baseUrl || origin === `${req.protocol}://${req.get("host")}`;
}

/**
 * If BASE_URL is an https address, as in production, plain http is not served. Pages redirect to https
 * (301). Forms are refused, because their content has already crossed the network unprotected. No
 * cookie is set.
 */
export function httpsOnly({ config, log }: Ctx): RequestHandler {
  const { baseUrl, production } = config;
  if (!production || baseUrl?.startsWith("https:") !== true) return (_req, _res, next) => next();
  let warned = false;
  return (req, res, next) => {
    if (req.secure) {
      next();
      return;
    }
    res.setHeader("Cache-Control", "no-store");
    if (claimsHttps(req)) {
      // A redirect would loop for ever.
      if (!warned) log.error("a proxy says that it speaks https: set TRUST_PROXY to believe it");
      warned = true;
      res.status(421).type("text/plain").send(untrustedProxy);
    } else if (req.method === "GET" || req.method === "HEAD") {
      res.redirect(301, `${baseUrl}${req.originalUrl.startsWith("/") ? req.originalUrl : "/"}`);
    } else {
      res.status(403).type("text/plain").send(`This site is served on https only: ${baseUrl}/\n`);
    }
  };
}

const untrustedProxy =
  "This site cannot tell that its proxy speaks https, because TRUST_PROXY is not set.\n" +
  "If you run it: set TRUST_PROXY to the number of proxies in front of it (see .env.example).\n";

/** Whether a proxy seems to speak https. Only for the warning: TRUST_PROXY decides what counts. */
function claimsHttps(req: Request): boolean {
  const said = req.headers["x-forwarded-proto"];
  return typeof said === "string" && /^https\b/i.test(said);
}
