import type { Request, Response } from "express";
import multer from "multer";
import { DomainError } from "../../domain/errors.ts";
import { picturesAtMost } from "../../domain/pictures/picture.ts";
import { isForMachines } from "../present/api-error.ts";
import {
  composerBytes,
  composerFields,
  filesIn,
  formBytes,
  pictureBytes,
  reserveBytes,
  watchBytes,
} from "./body-limits.ts";

const limits = {
  fields: composerFields,
  parts: composerFields + picturesAtMost,
  fieldSize: formBytes,
  fieldNameSize: 100,
  fieldNestingDepth: 0,
};
const receive = multer({ limits, fileFilter: (_req, _file, decide) => decide(null, false) }).any();
/** Max bytes that are read, with the files. */
const bytesAtMost = composerBytes + picturesAtMost * pictureBytes;

const reading = new WeakMap<Request, Promise<void>>();

/**
 * Reads the texts of a form with files into `req.body` if an outage came before the form was read, so that they can be
 * given back. Files are not kept. Undefined if there is nothing to read.
 */
export function readUnreadTexts(req: Request, res: Response): Promise<void> | undefined {
  const known = reading.get(req);
  if (known !== undefined) return known;
  const isForm = req.method === "POST" && !isForMachines(req.path);
  const isUnread = req.body === undefined && filesIn(req).length === 0;
  if (!isForm || !isUnread || typeof req.is("multipart/form-data") !== "string") return undefined;
  if (!hasRoom(req, res)) return undefined;
  const done = new Promise<void>((resolve) => {
    // A broken form has no texts to give back.
    void receive(req, res, () => resolve());
    req.once("close", resolve);
    watchBytes(req, bytesAtMost, () => req.destroy());
  });
  reading.set(req, done);
  return done;
}

function hasRoom(req: Request, res: Response): boolean {
  try {
    reserveBytes(req, res, composerBytes);
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}
