import express, { type Request, type RequestHandler, type Response } from "express";
import multer, { MulterError } from "multer";
import { Invalid } from "../../domain/errors.ts";
import { covers } from "../../domain/apps/scopes.ts";
import {
  formBytes,
  limitAtOnce,
  pictureBytes,
  picturesAtOnce,
  refuseLonger,
  reserveBytes,
  tooLarge,
  watchBytes,
} from "../middleware/body-limits.ts";
import { viewerOf } from "../middleware/session.ts";
import { grantOf } from "./bearer.ts";

/** Limits of a multipart form; only a picture is large. */
const partLimits = {
  files: 1,
  fields: 1000,
  parts: 1001,
  fieldSize: formBytes,
  fieldNameSize: 100,
  headerPairs: 20,
  fileSize: pictureBytes,
};

/** Endpoints that need no token. */
const openDoors = new Set(["/api/v1/apps", "/oauth/token", "/oauth/revoke"]);
/** The endpoint that takes a picture. */
const pictureDoor = "/api/v1/accounts/update_credentials";

/**
 * JSON, forms, and forms in parts, as apps like to send them: at most 100 kB and 1,000 fields; more is
 * 413. At the door for it one picture may be sent along, whatever its field is called; it becomes
 * `req.file`. Before it has to stand what finds out who is asking: of those who show no token no body is
 * read, but where none is needed.
 */
export function apiBodies(): RequestHandler[] {
  const limits = { limit: formBytes };
  const parsers = [
    express.json(limits),
    express.urlencoded({ ...limits, extended: false, parameterLimit: 1000 }),
    parts(),
  ];
  return [checkRoom, ...parsers.map(unlessUnread)];
}

const checkRoom: RequestHandler = (req, res, next) => {
  const type = req.is(["json", "urlencoded", "multipart/form-data"]);
  // Null where nothing was sent along.
  const isRead = typeof type === "string" && mayBeRead(req, res);
  const most = mostOf(req, res);
  // Of a picture that is too large more can be said.
  if (isRead && most === formBytes) refuseLonger(req, most);
  if (isRead) reserveBytes(req, res, most);
  res.locals.bodyUnread = !isRead;
  next();
};

function unlessUnread(parse: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (res.locals.bodyUnread === true) next();
    else void parse(req, res, next);
  };
}

/** Endpoints that refuse every picture. */
const mediaDoor = /^\/api\/v[12]\/media$/i;

function mayBeRead(req: Request, res: Response): boolean {
  if (mediaDoor.test(pathOf(req))) return false;
  return grantOf(res) !== undefined || openDoors.has(pathOf(req));
}

function takesPicture(req: Request, res: Response): boolean {
  const grant = grantOf(res);
  return (
    pathOf(req) === pictureDoor && grant !== undefined && covers(grant.scopes, "write:accounts")
  );
}

function mostOf(req: Request, res: Response): number {
  const inParts = req.is("multipart/form-data") !== false;
  return inParts && takesPicture(req, res) ? pictureBytes + formBytes : formBytes;
}

/** The path as routes compare it. */
function pathOf({ baseUrl, path }: Request): string {
  return `${baseUrl}${path}`.toLowerCase().replace(/(?<=.)\/$/, "");
}

function parts(): RequestHandler {
  const storage = multer.memoryStorage();
  const withFile = multer({ storage, limits: partLimits }).any();
  const withoutFile = multer({ storage, limits: partLimits }).none();
  const begin = limitAtOnce("uploads", picturesAtOnce);
  return (req, res, next) => {
    if (typeof req.is("multipart/form-data") !== "string") {
      next();
      return;
    }
    const viewer = viewerOf(res);
    const isPicture = viewer !== undefined && takesPicture(req, res);
    if (isPicture && !begin(viewer.id, res)) return;
    let isOver = false;
    const end = (error?: unknown) => {
      if (!isOver) next(error);
      isOver = true;
    };
    watchBytes(req, mostOf(req, res), () => {
      req.unpipe();
      res.setHeader("Connection", "close");
      end(tooLarge());
    });
    void (isPicture ? withFile : withoutFile)(req, res, (error: unknown) => {
      const [file] = Array.isArray(req.files) ? req.files : [];
      if (file !== undefined) req.file = file;
      end(error === undefined ? undefined : problemOf(error));
    });
  };
}

/** It cannot fail on our side: whatever went wrong was sent that way. */
function problemOf(error: unknown): Error {
  const many = ["LIMIT_FIELD_COUNT", "LIMIT_PART_COUNT", "LIMIT_FIELD_VALUE"];
  if (error instanceof MulterError && many.includes(error.code)) return tooLarge();
  const field = error instanceof MulterError ? (error.field ?? "form") : "form";
  const isLarge = error instanceof MulterError && error.code === "LIMIT_FILE_SIZE";
  return new Invalid({ [field]: isLarge ? "avatar.large" : "field.malformed" });
}
