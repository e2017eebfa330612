import type { RequestHandler } from "express";
import multer, { MulterError } from "multer";
import { Invalid, type Problem, TooMany } from "../../domain/errors.ts";

/** Files held in memory at a time, by this process. */
const uploadsAtOnce = 4;
let underWay = 0;

/**
 * Takes one file of a multipart form into memory, as `req.file`; other forms pass through. Throws
 * Invalid, beside `field`, for a larger file and for a form that is malformed; TooMany while too many
 * others send files. Comes after whatever asks who is there: strangers send nothing.
 */
export function uploadOf(field: string, { bytes }: { bytes: number }): RequestHandler {
  const limits = { fileSize: bytes, files: 1, fields: 10, fieldSize: 10_000, parts: 11 };
  const receive = multer({ limits }).single(field);
  return (req, res, next) => {
    if (typeof req.is("multipart/form-data") !== "string") {
      next();
      return;
    }
    if (underWay >= uploadsAtOnce) {
      next(new TooMany("uploads", 10));
      return;
    }
    // Whoever has left already would never give the place free.
    if (res.closed) return;
    underWay += 1;
    res.once("close", () => void (underWay -= 1));
    receive(req, res, (error: unknown) => {
      next(error === undefined || error === null ? undefined : toInvalid(field, error));
    });
  };
}

/** Whatever it is that cannot be read, its sender should know. */
function toInvalid(field: string, error: unknown): Invalid {
  const isLarge = error instanceof MulterError && error.code === "LIMIT_FILE_SIZE";
  const problem: Problem = isLarge ? "file.large" : "file.malformed";
  return new Invalid({ [field]: problem });
}
