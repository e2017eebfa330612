import type { RequestHandler } from "express";

const forAll = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After",
};

const forPreflights = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Requested-With",
  "Access-Control-Max-Age": "7200",
};

/** Apps in browsers may call from any site: answers depend on the token, never on a cookie. */
export function crossOrigin(): RequestHandler {
  return (req, res, next) => {
    res.set(forAll);
    if (req.method === "OPTIONS") res.set(forPreflights).status(204).end();
    else next();
  };
}
