import express, { type RequestHandler } from "express";
import multer, { MulterError } from "multer";
import { Invalid } from "../../domain/errors.ts";
import type { Problem } from "../../domain/problems.ts";
import { formBytes, limitAtOnce, pictureBytes, picturesAtOnce } from "./body-limits.ts";
import { holdBody, type Holding } from "./held-bodies.ts";
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

/**
 * Reads a form with one file into `req.file`; for signed-in users only. Throws Invalid for `field`,
 * TooMany.
 */
export function upload(field: string, rules: UploadRules = picture): RequestHandler {
  const limits = { fileSize: rules.bytes, files: 1, fields: 10, parts: 11, fieldSize: 1000 };
  const names = { fieldNameSize: 100, fieldNestingDepth: 0, headerPairs: 20 };
  const storage = multer.memoryStorage();
  const receive = multer({ storage, limits: { ...limits, ...names } }).single(field);
  const begin = limitAtOnce("uploads", rules.atOnce);
  return (req, res, next) => {
    const { id: user } = requireViewer(res);
    if (!begin(user, res)) return;
    const done = holdBody(req, res, next, { room: rules.room, user });
    void receive(req, res, (error: unknown) => {
      // All errors here are the client's: nothing can fail on our side.
      done(error === undefined ? undefined : new Invalid({ [field]: problemOf(error, rules) }));
    });
  };
}

function problemOf(error: unknown, { large, broken }: UploadRules): Problem {
  return error instanceof MulterError && error.code === "LIMIT_FILE_SIZE" ? large : broken;
}
