import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import {
  formBytes,
  holdBody,
  limitAtOnce,
  pictureBytes,
  picturesAtOnce,
  refuseLonger,
  tooLarge,
} from "../request/held-bodies.ts";
import { type BadParts, filesIn, multipart } from "../request/uploads.ts";
import { viewerOf } from "../request/reader.ts";
import { grantOf } from "./bearer.ts";

/** Endpoints that need no token. */
const openEndpoints = new Set(["/api/v1/apps", "/oauth/token", "/oauth/revoke"]);
/** Max file parts in a form. Some apps send empty ones, or a thumbnail beside the picture. */
const partsWithFiles = 4;
/** Uploads that an endpoint takes: the scope that they need, and how many there may be. */
interface Uploads {
  scope: Scope;
  files: 1 | 2;
}
const pictureEndpoints = new Map<string, Uploads>([
  ["/api/v1/accounts/update_credentials", { scope: "write:accounts", files: 2 }],
  ["/api/v1/media", { scope: "write:media", files: 1 }],
  ["/api/v2/media", { scope: "write:media", files: 1 }],
]);

/**
 * JSON, forms, and multipart forms: at most 100 kB and 1,000 fields; more is 413. To be used after `bearer`: without a
 * token no body is read, except where none is needed, and no upload that the token does not allow.
 */
export function apiBodies(): RequestHandler {
  const json = express.json({ limit: formBytes });
  const form = express.urlencoded({ limit: formBytes, extended: false, parameterLimit: 1000 });
  const parts = { fields: 1000, files: partsWithFiles, nesting: Infinity };
  const withFiles = multipart({ ...parts, fileBytes: pictureBytes });
  const withoutFiles = multipart({ ...parts, fileBytes: formBytes });
  const begin = limitAtOnce("uploads", picturesAtOnce);
  return (req, res, next) => {
    const type = req.is(["json", "urlencoded", "multipart/form-data"]);
    // Null without a body.
    if (typeof type !== "string" || !mayBeRead(req, res)) {
      next();
      return;
    }
    const row = type === "multipart/form-data" ? pictureEndpoints.get(pathOf(req)) : undefined;
    const upload = row && uploadOf(res, row);
    // The endpoint refuses it, and needs no body for that.
    if (row !== undefined && upload === undefined) {
      next();
      return;
    }
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

function mayBeRead(req: Request, res: Response): boolean {
  return grantOf(res) !== undefined || openEndpoints.has(pathOf(req));
}

/** The viewer, if the token allows an upload, and how many pictures. */
function uploadOf(
  res: Response,
  { scope, files }: Uploads,
): { by: User; files: 1 | 2 } | undefined {
  const grant = grantOf(res);
  const by = viewerOf(res);
  const isAllowed = grant !== undefined && covers(grant.scopes, scope);
  return isAllowed && by !== undefined ? { by, files } : undefined;
}

/** The path as routes compare it. */
function pathOf({ baseUrl, path }: Request): string {
  return `${baseUrl}${path}`.toLowerCase().replace(/(?<=.)\/$/, "");
}

function readParts(
  { parse, takes }: { parse: ReturnType<typeof multipart>; takes: number },
  req: Request,
  res: Response,
  end: NextFunction,
): void {
  parse(req, res, (bad) => {
    const [first] = filesIn(req);
    // Where no picture is taken, one would be lost without a word.
    if (bad === undefined && first !== undefined && takes === 0)
      end(new Invalid({ [first.fieldname]: "field.malformed" }));
    else end(bad && problemOf(bad));
  });
}

function problemOf({ reason, field = "form" }: BadParts): Error {
  if (reason === "many fields") return tooLarge();
  return new Invalid({ [field]: reason === "large file" ? "avatar.large" : "field.malformed" });
}
