import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Request, RequestHandler, Response } from "express";
import helmet from "helmet";
import type { Ctx } from "../../context.ts";
import { authorizeAction } from "../site/apps/form.ts";
import { textsOf } from "../layout/form.ts";
import { isForMachines } from "./reader.ts";
import { Forbidden } from "../../domain/errors.ts";

const year = 365 * 24 * 60 * 60;

const headers = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // With "no-referrer" browsers would send `Origin: null` with our own forms.
  referrerPolicy: { policy: "same-origin" },
  crossOriginOpenerPolicy: { policy: "same-origin" },
  crossOriginResourcePolicy: { policy: "same-origin" },
  strictTransportSecurity: false,
  xFrameOptions: { action: "deny" },
});

const unusedFeatures = ["camera", "geolocation", "microphone", "payment", "usb", "browsing-topics"]
  .map((feature) => `${feature}=()`)
  .join(", ");

/** These are about documents and plugins only: answers to programs, stylesheets and scripts go without. */
const forDocuments = new Set([
  "origin-agent-cluster",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
]);

/** Sets the headers of every answer, whatever its status. */
export function securityHeaders({ config }: Ctx): RequestHandler {
  const all = new Map([...helmetHeaders(), ["Permissions-Policy", unusedFeatures]]);
  const ofOthers = new Map([...all].filter(([name]) => !forDocuments.has(name)));
  const hsts = `max-age=${year}${config.hstsSubdomains ? "; includeSubDomains" : ""}`;
  return (req, res, next) => {
    const isDocument = !isForMachines(req.path) && !req.path.startsWith("/assets/");
    res.setHeaders(isDocument ? all : ofOthers);
    // Browsers ignore it on http, or would force https on localhost.
    if (req.secure) res.setHeader("Strict-Transport-Security", hsts);
    next();
  };
}

/**
 * The form of this page may redirect to the app's own address: browsers apply `form-action` to
 * redirects too. A window that the app opened for the page stays connected to the app.
 */
export function letFormsLeadTo(res: Response, uri: string): void {
  const policy = String(res.getHeader("Content-Security-Policy"));
  const allowed = `form-action 'self' ${sourceOf(new URL(uri))}`;
  const widened = policy.replace("form-action 'self'", () => allowed);
  res.setHeader("Content-Security-Policy", widened);
  res.removeHeader("Cross-Origin-Opener-Policy");
}

/** For pages that lead on to the authorization of an app: see keepAppConnected. Use after the body has been read. */
export const keepAppsConnected: RequestHandler = (req, res, next) => {
  keepAppConnected(res, textsOf(req.query)["next"] ?? textsOf(req.body)["next"] ?? "");
  next();
};

/** Lets a page that leads on to `path` keep its window's opener, if `path` authorizes apps. */
export function keepAppConnected(res: Response, path: string): void {
  if (path.startsWith(authorizeAction)) res.removeHeader("Cross-Origin-Opener-Policy");
}

/** An origin, or a scheme if there is none. CSP has no syntax for IPv6 hosts. */
function sourceOf({ origin, hostname, protocol }: URL): string {
  return /^https?:$/.test(protocol) && !hostname.startsWith("[") ? origin : protocol;
}

/** The headers of helmet. They are always the same, so they are computed once. */
function helmetHeaders(): (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  headers(request, response, () => {});
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/**
 * Refuses changes requested by pages of other sites, as browsers tell where a request comes from. A
 * client that does not tell is no browser, so no other site can use its cookie.
 */
export function refuseForeignPosts({ config }: Ctx): RequestHandler {
  return (req, _res, next) => {
    const isSafe = /^(GET|HEAD|OPTIONS)$/.test(req.method);
    const allowed = isSafe || comesFromHere(req, config.baseUrl);
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
 * If BASE_URL is an https address, as in production, plain http is not served. Pages redirect to https (301). Forms are
 * refused, because their content has already crossed the network unprotected. No cookie is set.
 */
export function httpsOnly({ config, log }: Ctx): RequestHandler {
  const { baseUrl, production } = config;
  if (!production || baseUrl?.startsWith("https:") !== true) return (_req, _res, next) => next();
  let warned = false;
  return (req, res, next) => {
    if (req.secure) return next();
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
  const protocol = req.headers["x-forwarded-proto"];
  return typeof protocol === "string" && /^https\b/i.test(protocol);
}
