import express, { type RequestHandler } from "express";
import { Invalid } from "../../domain/errors.ts";
import type { Problem } from "../../domain/problems.ts";
import { formBytes, limitAtOnce, pictureBytes, picturesAtOnce } from "./body-limits.ts";
import { holdBody, type Holding } from "./held-bodies.ts";
import { multipart } from "./multipart.ts";
import { requireViewer } from "./session.ts";

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
    const isRead = typeof req.is("urlencoded") === "string";
    parse(req, res, isRead ? holdBody(req, res, next, { room: "forms" }) : next);
  };
}

/** Limits of an upload, with the problems for a file that is too large or incomplete. */
export interface UploadRules {
  bytes: number;
  room: Holding["room"];
  /** Max simultaneous uploads of one user. */
  atOnce: number;
  large: Problem;
  broken: Problem;
}

const picture: UploadRules = {
  bytes: pictureBytes,
  room: "pictures",
  atOnce: picturesAtOnce,
  large: "avatar.large",
  broken: "avatar.upload",
};

/** Reads a form with one file; for signed-in users only. Throws Invalid for `field`, TooMany. */
export function upload(field: string, rules: UploadRules = picture): RequestHandler {
  const receive = multipart({ fields: 10, files: 1, fileBytes: rules.bytes, field });
  const begin = limitAtOnce("uploads", rules.atOnce);
  return (req, res, next) => {
    const { id: user } = requireViewer(res);
    if (!begin(user, res)) return;
    const done = holdBody(req, res, next, { room: rules.room, user });
    receive(req, res, (bad) => {
      const problem = bad?.reason === "large file" ? rules.large : rules.broken;
      done(bad && new Invalid({ [field]: problem }));
    });
  };
}
