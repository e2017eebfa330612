import type { RequestHandler } from "express";
import helmet from "helmet";

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
  // "no-referrer" would make browsers send `Origin: null` with our own forms.
  referrerPolicy: { policy: "same-origin" },
  crossOriginOpenerPolicy: { policy: "same-origin" },
  crossOriginResourcePolicy: { policy: "same-origin" },
  strictTransportSecurity: false,
  xFrameOptions: { action: "deny" },
});

const unusedFeatures = ["camera", "geolocation", "microphone", "payment", "usb", "browsing-topics"]
  .map((feature) => `${feature}=()`)
  .join(", ");

/** On every answer, whatever its status. */
export function securityHeaders(): RequestHandler {
  return (req, res, next) => {
    res.setHeader("Permissions-Policy", unusedFeatures);
    // On http it would be ignored at best, and lock localhost to https at worst.
    if (req.secure)
      res.setHeader("Strict-Transport-Security", `max-age=${year}; includeSubDomains`);
    headers(req, res, next);
  };
}
