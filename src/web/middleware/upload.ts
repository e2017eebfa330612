import type { RequestHandler } from "express";
import multer, { MulterError } from "multer";
import { Invalid, type Problem, TooMany } from "../../domain/errors.ts";
import { requireViewer } from "./session.ts";

/** Bytes. */
export const uploadLimit = 5_000_000;

/** Uploads are kept in memory while they arrive: this many at once, of all people and of one. */
const atOnce = { all: 20, one: 3 };

/** A form with one file, which becomes `req.file`; signed-in people only. Throws Invalid beside `field`, TooMany. */
export function upload(field: string): RequestHandler {
  const limits = { fileSize: uploadLimit, files: 1, fields: 10, parts: 11, fieldSize: 1000 };
  const names = { fieldNameSize: 100, fieldNestingDepth: 0, headerPairs: 20 };
  const receive = multer({
    storage: multer.memoryStorage(),
    limits: { ...limits, ...names },
  }).single(field);
  const arriving: string[] = [];
  return (req, res, next) => {
    const { id } = requireViewer(res);
    // Whoever has left already would never give the place free.
    if (res.closed) return;
    const own = arriving.filter((one) => one === id);
    if (arriving.length >= atOnce.all || own.length >= atOnce.one) throw new TooMany("uploads", 10);
    arriving.push(id);
    res.once("close", () => void arriving.splice(arriving.indexOf(id), 1));
    void receive(req, res, (error: unknown) => {
      // It cannot fail on our side: whatever went wrong was sent that way.
      next(error === undefined ? undefined : new Invalid({ [field]: problemOf(error) }));
    });
  };
}

function problemOf(error: unknown): Problem {
  const isLarge = error instanceof MulterError && error.code === "LIMIT_FILE_SIZE";
  return isLarge ? "avatar.large" : "avatar.upload";
}
