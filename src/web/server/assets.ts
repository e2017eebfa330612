import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Request, RequestHandler, Response } from "express";
import { required } from "../../domain/errors.ts";
import { shareWithApps } from "./send-public.ts";

/** A static file in memory: there are few and they are small. */
type Asset = ReturnType<typeof readAsset>;

/** Content encodings with their file extensions, best first. */
export const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

interface Assets {
  /** By path. */
  files: ReadonlyMap<string, Asset>;
  /** Addresses of the hashed files by their name in public/. Templates use `assets["app.css"]`. */
  addresses: Readonly<Record<string, string>>;
}

/** Output of `npm run build` in `folder`; throws without one. `watched` (npm run dev): each call sees a new build. */
export function openAssets(folder: string, watched: boolean): () => Assets {
  let builtAt = "";
  let built = readAssets(folder);
  return () => {
    if (!watched) return built;
    const latest = String(statSync(manifestIn(folder), { throwIfNoEntry: false })?.mtimeMs);
    if (latest !== builtAt) built = readAssets(folder);
    builtAt = latest;
    return built;
  };
}

const manifestIn = (folder: string) => join(folder, "assets.json");

function readAssets(folder: string): Assets {
  if (!existsSync(manifestIn(folder)))
    throw new Error("The stylesheet and the script are not built. Remedy: npm run build");
  const addresses = JSON.parse(readFileSync(manifestIn(folder), "utf8")) as Record<string, string>;
  const root = join(folder, "public");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"));
  const files = new Map(
    paths
      .filter((path) => !encodings.some(([, ending]) => path.endsWith(ending)))
      .map((path) => [path, readAsset(root, path, new Set(paths))]),
  );
  return { files, addresses };
}

function readAsset(root: string, path: string, all: ReadonlySet<string>) {
  const there = encodings.filter(([, ending]) => all.has(path + ending));
  return {
    plain: readBody(join(root, path)),
    /** Precompressed bodies, where these are smaller. */
    encoded: new Map(there.map(([name, ending]) => [name, readBody(join(root, path + ending))])),
    /** For good if the address contains a hash of the content. */
    cacheControl: path.startsWith("/assets/")
      ? "public, max-age=31536000, immutable"
      : "public, max-age=3600",
  };
}

function readBody(file: string) {
  const bytes = readFileSync(file);
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { bytes, etag: `"${digest}"` };
}

/** Serves stylesheet, script and pictures, without a session. Throws NotFound for an unknown /assets/…. */
export function assets(current: () => Assets): RequestHandler {
  return (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    const { files, addresses } = current();
    const file = files.get(req.path);
    if (file !== undefined) send(req, res, file);
    else if (req.path.startsWith("/assets/")) {
      // During a rolling restart, pages of one version ask processes of another version for their stylesheet.
      // A similar version is better than none.
      const similar = required(files.get(meantBy(req, addresses)), "asset");
      send(req, res, { ...similar, cacheControl: "no-store" });
    } else next();
  };
}

/** Current path of a file, given its address in an older or newer version of the site. */
function meantBy(req: Request, addresses: Assets["addresses"]): string {
  const [, name = "", ending = ""] = /^\/assets\/(.+)-[A-Z0-9]{8}(\.\w+)$/.exec(req.path) ?? [];
  return Object.hasOwn(addresses, name + ending) ? (addresses[name + ending] ?? "") : "";
}

function send(req: Request, res: Response, { plain, encoded, cacheControl }: Asset): void {
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
