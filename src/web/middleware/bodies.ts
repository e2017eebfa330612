import express, { type RequestHandler } from "express";

/** Forms of at most 100 kB and 1,000 fields; more is 413. Values are strings or lists of strings. */
export function bodies(): RequestHandler {
  const parse = express.urlencoded({ extended: false, limit: "100kb", parameterLimit: 1000 });
  return (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") next();
    else parse(req, res, next);
  };
}
