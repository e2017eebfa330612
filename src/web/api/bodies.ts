import express, { type Request, type RequestHandler, type Response } from "express";
import { covers, type Scope } from "../../domain/apps/scopes.ts";
import { Invalid } from "../../domain/errors.ts";
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
/** Endpoints that take uploads: the scope that they need, and how many there may be. */
const pictureEndpoints = new Map<string, { scope: Scope; files: 1 | 2 }>([
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
    if (typeof type !== "string" || !mayBeRead(req, res)) return next();
    const upload = type === "multipart/form-data" ? pictureEndpoints.get(pathOf(req)) : undefined;
    const atMost = (upload?.files ?? 0) * pictureBytes + formBytes;
    const user = viewerOf(res)?.id;
    // The answer to a picture that is too large says so.
    if (upload === undefined) refuseLonger(req, atMost);
    // The endpoint refuses it, and needs no body for that.
    else if (user === undefined || !hasScope(res, upload.scope)) return next();
    else if (!begin(user, res)) return;
    const room = upload === undefined ? "forms" : "pictures";
    const done = holdBody(req, res, next, { room, atMost, user });
    if (type === "json") json(req, res, done);
    else if (type === "urlencoded") form(req, res, done);
    else if (upload !== undefined) withFiles(req, res, (bad) => done(bad && problemOf(bad)));
    else withoutFiles(req, res, (bad) => done(bad ? problemOf(bad) : problemOfFile(req)));
  };
}

function mayBeRead(req: Request, res: Response): boolean {
  return grantOf(res) !== undefined || openEndpoints.has(pathOf(req));
}

function hasScope(res: Response, scope: Scope): boolean {
  const grant = grantOf(res);
  return grant !== undefined && covers(grant.scopes, scope);
}

/** The path as routes compare it. */
function pathOf({ baseUrl, path }: Request): string {
  return `${baseUrl}${path}`.toLowerCase().replace(/(?<=.)\/$/, "");
}

/** Where no picture is taken, one would be lost without a word. */
function problemOfFile(req: Request): Error | undefined {
  const [first] = filesIn(req);
  return first && new Invalid({ [first.fieldname]: "field.malformed" });
}

function problemOf({ reason, field = "form" }: BadParts): Error {
  if (reason === "many fields") return tooLarge();
  return new Invalid({ [field]: reason === "large file" ? "avatar.large" : "field.malformed" });
}
