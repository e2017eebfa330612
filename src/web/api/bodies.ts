import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import multer, { MulterError } from "multer";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
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
const limits = {
  files: 1,
  fields: 1000,
  parts: 1001,
  fieldSize: formBytes,
  fieldNameSize: 100,
  headerPairs: 20,
  fileSize: pictureBytes,
};

/** Endpoints that need no token. */
const openEndpoints = new Set(["/api/v1/apps", "/oauth/token", "/oauth/revoke"]);
/** The endpoints that take a picture, with the scope that they need. */
const pictureEndpoints = new Map<string, Scope>([
  ["/api/v1/accounts/update_credentials", "write:accounts"],
  ["/api/v1/media", "write:media"],
  ["/api/v2/media", "write:media"],
]);

/**
 * JSON, forms, and multipart forms: at most 100 kB and 1,000 fields; more is 413. The picture of a profile, whatever
 * its field is called, becomes `req.file`. To be used after `bearer`: without a token no body is read, except where
 * none is needed.
 */
export function apiBodies(): RequestHandler {
  const json = express.json({ limit: formBytes });
  const form = express.urlencoded({ limit: formBytes, extended: false, parameterLimit: 1000 });
  const multipart = multer({ storage: multer.memoryStorage(), limits });
  const [withFile, withoutFile] = [multipart.any(), multipart.none()];
  const begin = limitAtOnce("uploads", picturesAtOnce);
  return (req, res, next) => {
    const type = req.is(["json", "urlencoded", "multipart/form-data"]);
    // Null without a body.
    if (typeof type !== "string" || !mayBeRead(req, res)) {
      next();
      return;
    }
    const uploader = type === "multipart/form-data" ? uploaderOf(req, res) : undefined;
    const max = uploader === undefined ? formBytes : pictureBytes + formBytes;
    // The answer to a picture that is too large says so.
    if (uploader === undefined) refuseLonger(req, max);
    reserveBytes(req, res, max);
    if (type === "json") json(req, res, next);
    else if (type === "urlencoded") form(req, res, next);
    else if (uploader === undefined) readParts(withoutFile, max, req, res, next);
    else if (begin(uploader.id, res)) readParts(withFile, max, req, res, next);
  };
}

function mayBeRead(req: Request, res: Response): boolean {
  return grantOf(res) !== undefined || openEndpoints.has(pathOf(req));
}

/** The viewer, if the request may contain a picture. */
function uploaderOf(req: Request, res: Response): User | undefined {
  const grant = grantOf(res);
  const scope = pictureEndpoints.get(pathOf(req));
  const isAllowed = grant !== undefined && scope !== undefined && covers(grant.scopes, scope);
  return isAllowed ? viewerOf(res) : undefined;
}

/** The path as routes compare it. */
function pathOf({ baseUrl, path }: Request): string {
  return `${baseUrl}${path}`.toLowerCase().replace(/(?<=.)\/$/, "");
}

function readParts(
  parse: RequestHandler,
  max: number,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  let isOver = false;
  const end = (error?: unknown) => {
    if (!isOver) next(error);
    isOver = true;
  };
  watchBytes(req, max, () => {
    req.unpipe();
    res.setHeader("Connection", "close");
    end(tooLarge());
  });
  void parse(req, res, (error: unknown) => {
    const [file] = Array.isArray(req.files) ? req.files : [];
    if (file !== undefined) req.file = file;
    end(error === undefined ? undefined : problemOf(error));
  });
}

/** All errors here are the client's: nothing can fail on our side. */
function problemOf(error: unknown): Error {
  const known = error instanceof MulterError ? error : undefined;
  const tooMany = ["LIMIT_FIELD_COUNT", "LIMIT_PART_COUNT", "LIMIT_FIELD_VALUE"];
  if (known !== undefined && tooMany.includes(known.code)) return tooLarge();
  const problem = known?.code === "LIMIT_FILE_SIZE" ? "avatar.large" : "field.malformed";
  return new Invalid({ [known?.field ?? "form"]: problem });
}
