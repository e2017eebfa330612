import express, { type RequestHandler } from "express";
import multer, { MulterError } from "multer";
import { Invalid } from "../../domain/errors.ts";
import { takePlace, uploadLimit } from "../middleware/upload.ts";
import { viewerOf } from "../middleware/session.ts";

const limit = "100kb";
/** Of a form in parts; a picture's bytes are the only ones that are many. */
const partLimits = {
  files: 1,
  fields: 100,
  parts: 101,
  fieldSize: 100_000,
  fieldNameSize: 100,
  headerPairs: 20,
  fileSize: uploadLimit,
};

/**
 * JSON, forms, and forms in parts, as apps like to send them: at most 100 kB and 1,000 fields; more is
 * 413. Who is signed in may send one picture along, whatever its field is called; it becomes
 * `req.file`. Before it has to stand what finds out who is asking.
 */
export function apiBodies(): RequestHandler[] {
  return [
    express.json({ limit }),
    express.urlencoded({ extended: false, limit, parameterLimit: 1000 }),
    parts(),
  ];
}

function parts(): RequestHandler {
  const storage = multer.memoryStorage();
  const withFile = multer({ storage, limits: partLimits }).any();
  const withoutFile = multer({ storage, limits: partLimits }).none();
  const places = takePlace({ atOnce: 20 });
  return (req, res, next) => {
    if (req.is("multipart/form-data") === false) {
      next();
      return;
    }
    const viewer = viewerOf(res);
    if (viewer !== undefined && !places(viewer.id, res)) return;
    void (viewer === undefined ? withoutFile : withFile)(req, res, (error: unknown) => {
      const [file] = Array.isArray(req.files) ? req.files : [];
      if (file !== undefined) req.file = file;
      next(error === undefined ? undefined : problemOf(error));
    });
  };
}

/** It cannot fail on our side: whatever went wrong was sent that way. */
function problemOf(error: unknown): Invalid {
  const field = error instanceof MulterError ? (error.field ?? "form") : "form";
  const isLarge = error instanceof MulterError && error.code === "LIMIT_FILE_SIZE";
  return new Invalid({ [field]: isLarge ? "avatar.large" : "field.malformed" });
}
