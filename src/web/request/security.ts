import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { RequestHandler, Response } from "express";
import helmet from "helmet";
import type { Ctx } from "../../context.ts";
import { authorizeAction } from "../site/apps/form.ts";
import { textsOf } from "../layout/form.ts";
import { isForMachines } from "../layout/api-error.ts";

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

/** These are about documents and plugins only. Answers to programs go without them. */
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
  const ofMachines = new Map([...all].filter(([name]) => !forDocuments.has(name)));
  const hsts = `max-age=${year}${config.hstsSubdomains ? "; includeSubDomains" : ""}`;
  return (req, res, next) => {
    res.setHeaders(isForMachines(req.path) ? ofMachines : all);
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
  res.setHeader(
    "Content-Security-Policy",
    policy.replace("form-action 'self'", () => allowed),
  );
  res.removeHeader("Cross-Origin-Opener-Policy");
}

/**
 * For the pages on the way to the page that asks about an app: a window that the app opened stays connected to the
 * app. Use after the body has been read.
 */
export const keepAppsConnected: RequestHandler = (req, res, next) => {
  const path = textsOf(req.query)["next"] ?? textsOf(req.body)["next"];
  keepAppConnected(res, path ?? "");
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
