import type { Request, RequestHandler, Response } from "express";
import { NotFound } from "../../domain/errors.ts";
import { type Asset, type Assets, encodings } from "../assets.ts";
import { shareWithApps } from "../send-public.ts";

const keptForGood = "public, max-age=31536000, immutable";
const keptForAnHour = "public, max-age=3600";
const notKept = "no-store";

/** Serves stylesheet, script and pictures, without a session. */
export function assets(current: () => Assets): RequestHandler {
  return (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      next();
      return;
    }
    const { files, addresses } = current();
    const file = files.get(req.path);
    if (file !== undefined) send(req, res, file, file.immutable ? keptForGood : keptForAnHour);
    else if (req.path.startsWith("/assets/"))
      sendOther(req, res, files.get(meantBy(req, addresses)));
    else next();
  };
}

/** Current path of a file, given its address in an older or newer version of the site. */
function meantBy(req: Request, addresses: Assets["addresses"]): string {
  const [, name = "", ending = ""] = /^\/assets\/(.+)-[A-Z0-9]{8}(\.\w+)$/.exec(req.path) ?? [];
  return Object.hasOwn(addresses, name + ending) ? (addresses[name + ending] ?? "") : "";
}

/**
 * During a rolling restart, pages of one version ask processes of another version for their stylesheet.
 * A similar version is better than none. Throws NotFound if there is none.
 */
function sendOther(req: Request, res: Response, file: Asset | undefined): void {
  if (file === undefined) throw new NotFound("asset");
  send(req, res, file, notKept);
}

function send(req: Request, res: Response, { plain, encoded }: Asset, cacheControl: string): void {
  res.setHeader("Cache-Control", cacheControl);
  // The sparrow is the picture of a site without a logo.
  if (/\.(png|ico)$/.test(req.path)) shareWithApps(res);
  res.type(req.path.slice(req.path.lastIndexOf(".")));
  if (encoded.size > 0) res.vary("Accept-Encoding");
  const accepted = encodings.find(
    ([name]) => encoded.has(name) && req.acceptsEncodings(name) === name,
  )?.[0];
  if (accepted !== undefined) res.setHeader("Content-Encoding", accepted);
  const { bytes, etag } = (accepted && encoded.get(accepted)) ?? plain;
  res.setHeader("ETag", etag);
  // Answers 304 if the client has this ETag.
  res.send(bytes);
}
