import type { RequestHandler } from "express";

const forAll = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "Link, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After",
};

const forPreflights = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Requested-With",
  "Access-Control-Max-Age": "7200",
};

/**
 * Apps in browsers may ask from any site: what they are told depends on the token that they show, and
 * on no cookie.
 */
export function crossOrigin(): RequestHandler {
  return (req, res, next) => {
    res.set(forAll);
    if (req.method === "OPTIONS") res.set(forPreflights).status(204).end();
    else next();
  };
}
