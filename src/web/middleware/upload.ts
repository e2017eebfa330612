import type { RequestHandler, Response } from "express";
import multer, { MulterError } from "multer";
import { Invalid, type Problem, TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { formBytes, takeRoom } from "./body-bytes.ts";
import { requireViewer } from "./session.ts";

/** Bytes of a picture. */
export const uploadLimit = 5_000_000;

/** How large a file may be, and what is said of one that is larger or that did not arrive whole. */
export interface Expected {
  bytes: number;
  /** Of all people. */
  atOnce: number;
  large: Problem;
  broken: Problem;
}

const picture: Expected = {
  bytes: uploadLimit,
  atOnce: 20,
  large: "avatar.large",
  broken: "avatar.upload",
};

/** Uploads are kept in memory while they arrive: this many at once of one person. */
const ofOneAtOnce = 3;

/** A form with one file, which becomes `req.file`; signed-in people only. Throws Invalid beside `field`, TooMany. */
export function upload(field: string, expected: Expected = picture): RequestHandler {
  const limits = { fileSize: expected.bytes, files: 1, fields: 10, parts: 11, fieldSize: 1000 };
  const names = { fieldNameSize: 100, fieldNestingDepth: 0, headerPairs: 20 };
  const receive = multer({
    storage: multer.memoryStorage(),
    limits: { ...limits, ...names },
  }).single(field);
  const takesPlace = takePlace(expected);
  return (req, res, next) => {
    if (!takesPlace(requireViewer(res).id, res)) return;
    takeRoom(req, res, expected.bytes + formBytes);
    void receive(req, res, (error: unknown) => {
      // It cannot fail on our side: whatever went wrong was sent that way.
      next(error === undefined ? undefined : new Invalid({ [field]: problemOf(error, expected) }));
    });
  };
}

/**
 * So many uploads of all people at a time: takes a place for one until it is answered. False if
 * whoever sends it has left already. Throws TooMany.
 */
export function takePlace({ atOnce }: Pick<Expected, "atOnce">) {
  const arriving: UserId[] = [];
  return (user: UserId, res: Response): boolean => {
    // Whoever has left already would never give the place free.
    if (res.closed) return false;
    const own = arriving.filter((one) => one === user);
    if (arriving.length >= atOnce || own.length >= ofOneAtOnce) throw new TooMany("uploads", 10);
    arriving.push(user);
    res.once("close", () => void arriving.splice(arriving.indexOf(user), 1));
    return true;
  };
}

function problemOf(error: unknown, { large, broken }: Expected): Problem {
  return error instanceof MulterError && error.code === "LIMIT_FILE_SIZE" ? large : broken;
}
