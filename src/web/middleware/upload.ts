import type { RequestHandler, Response } from "express";
import multer, { MulterError } from "multer";
import { Invalid, type Problem, TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { formBytes, takeRoom } from "./body-bytes.ts";
import { requireViewer } from "./session.ts";

/** Max bytes of a picture. */
export const uploadLimit = 5_000_000;

/** Limits of an upload, with the problems for a file that is too large or incomplete. */
export interface UploadRules {
  bytes: number;
  /** Max simultaneous uploads of all users. */
  atOnce: number;
  large: Problem;
  broken: Problem;
}

const picture: UploadRules = {
  bytes: uploadLimit,
  atOnce: 20,
  large: "avatar.large",
  broken: "avatar.upload",
};

/** Max simultaneous uploads of one user: they are kept in memory while they arrive. */
const userAtOnce = 3;

/**
 * Reads a form with one file into `req.file`; for signed-in users only. Throws Invalid for `field`,
 * TooMany.
 */
export function upload(field: string, rules: UploadRules = picture): RequestHandler {
  const limits = { fileSize: rules.bytes, files: 1, fields: 10, parts: 11, fieldSize: 1000 };
  const names = { fieldNameSize: 100, fieldNestingDepth: 0, headerPairs: 20 };
  const receive = multer({
    storage: multer.memoryStorage(),
    limits: { ...limits, ...names },
  }).single(field);
  const takesPlace = takePlace(rules);
  return (req, res, next) => {
    if (!takesPlace(requireViewer(res).id, res)) return;
    takeRoom(req, res, rules.bytes + formBytes);
    void receive(req, res, (error: unknown) => {
      // All errors here are the client's: nothing can fail on our side.
      next(error === undefined ? undefined : new Invalid({ [field]: problemOf(error, rules) }));
    });
  };
}

/**
 * Takes one of `atOnce` places for uploads until the request is answered. False if the client has
 * disconnected. Throws TooMany.
 */
export function takePlace({ atOnce }: Pick<UploadRules, "atOnce">) {
  const arriving: UserId[] = [];
  return (user: UserId, res: Response): boolean => {
    // A closed response would never release its place.
    if (res.closed) return false;
    const own = arriving.filter((one) => one === user);
    if (arriving.length >= atOnce || own.length >= userAtOnce) throw new TooMany("uploads", 10);
    arriving.push(user);
    res.once("close", () => void arriving.splice(arriving.indexOf(user), 1));
    return true;
  };
}

function problemOf(error: unknown, { large, broken }: UploadRules): Problem {
  return error instanceof MulterError && error.code === "LIMIT_FILE_SIZE" ? large : broken;
}
