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
  tooLarge,
} from "../request/body-limits.ts";
import { holdBody } from "../request/held-bodies.ts";
import { viewerOf } from "../request/session.ts";
import { grantOf } from "./bearer.ts";

/** Limits of a multipart form; only pictures are large. */
const limits = {
  fields: 1000,
  parts: 1001,
  fieldSize: formBytes,
  fieldNameSize: 100,
  headerPairs: 20,
};

/** Endpoints that need no token. */
const openEndpoints = new Set(["/api/v1/apps", "/oauth/token", "/oauth/revoke"]);
/** Max file parts in a form. Some apps send empty ones, or a thumbnail beside the picture. */
const partsWithFiles = 4;
/** The endpoints that take pictures: the scope that they need, and how many. */
const pictureEndpoints = new Map<string, { scope: Scope; files: 1 | 2 }>([
  ["/api/v1/accounts/update_credentials", { scope: "write:accounts", files: 2 }],
  ["/api/v1/media", { scope: "write:media", files: 1 }],
  ["/api/v2/media", { scope: "write:media", files: 1 }],
]);

/**
 * JSON, forms, and multipart forms: at most 100 kB and 1,000 fields; more is 413. The picture, in `file` or
 * whatever its field is called, becomes `req.file`; empty files count as none. To be used after `bearer`: without a
 * token no body is read, except where none is needed.
 */
export function apiBodies(): RequestHandler {
  const json = express.json({ limit: formBytes });
  const form = express.urlencoded({ limit: formBytes, extended: false, parameterLimit: 1000 });
  const withFiles = multipart(pictureBytes);
  const withoutFiles = multipart(formBytes);
  const begin = limitAtOnce("uploads", picturesAtOnce);
  return (req, res, next) => {
    const type = req.is(["json", "urlencoded", "multipart/form-data"]);
    // Null without a body.
    if (typeof type !== "string" || !mayBeRead(req, res)) {
      next();
      return;
    }
    const upload = type === "multipart/form-data" ? uploadOf(req, res) : undefined;
    const max = (upload?.files ?? 0) * pictureBytes + formBytes;
    // The answer to a picture that is too large says so.
    if (upload === undefined) refuseLonger(req, max);
    const user = viewerOf(res)?.id;
    if (upload !== undefined && !begin(upload.by.id, res)) return;
    const room = upload === undefined ? "forms" : "pictures";
    const done = holdBody(req, res, next, { room, atMost: max, ...(user && { user }) });
    if (type === "json") json(req, res, done);
    else if (type === "urlencoded") form(req, res, done);
    else if (upload === undefined) readParts({ parse: withoutFiles, takes: 0 }, req, res, done);
    else readParts({ parse: withFiles, takes: upload.files }, req, res, done);
  };
}

function multipart(fileSize: number): RequestHandler {
  const bounds = { ...limits, files: partsWithFiles, fileSize };
  return multer({ storage: multer.memoryStorage(), limits: bounds }).any();
}

function mayBeRead(req: Request, res: Response): boolean {
  return grantOf(res) !== undefined || openEndpoints.has(pathOf(req));
}

/** The viewer, if the request may contain pictures, and how many. */
function uploadOf(req: Request, res: Response): { by: User; files: 1 | 2 } | undefined {
  const grant = grantOf(res);
  const taken = pictureEndpoints.get(pathOf(req));
  const by = viewerOf(res);
  const isAllowed = grant !== undefined && taken !== undefined && covers(grant.scopes, taken.scope);
  return isAllowed && by !== undefined ? { by, files: taken.files } : undefined;
}

/** The path as routes compare it. */
function pathOf({ baseUrl, path }: Request): string {
  return `${baseUrl}${path}`.toLowerCase().replace(/(?<=.)\/$/, "");
}

function readParts(
  { parse, takes }: { parse: RequestHandler; takes: number },
  req: Request,
  res: Response,
  end: NextFunction,
): void {
  void parse(req, res, (error: unknown) => {
    const files = (Array.isArray(req.files) ? req.files : []).filter(({ size }) => size > 0);
    const [first] = files;
    req.files = files;
    req.file = files.find(({ fieldname }) => fieldname === "file") ?? first;
    // Where no picture is taken, one would be lost without a word.
    if (error === undefined && first !== undefined && takes === 0)
      end(new Invalid({ [first.fieldname]: "field.malformed" }));
    else end(error === undefined ? undefined : problemOf(error));
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
