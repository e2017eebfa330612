import express, { type RequestHandler } from "express";
import { formBytes, takeRoom } from "./body-bytes.ts";

/**
 * Parses forms of at most 100 kB and 1,000 fields; larger ones get 413. Values are strings or lists of
 * strings.
 */
export function bodies(): RequestHandler {
  const parse = express.urlencoded({ extended: false, limit: formBytes, parameterLimit: 1000 });
  return (req, res, next) => {
    if (req.method === "GET" || req.method === "HEAD") {
      next();
      return;
    }
    // Null without a body; other content types are not read.
    if (typeof req.is("urlencoded") === "string") takeRoom(req, res, formBytes);
    parse(req, res, next);
  };
}
