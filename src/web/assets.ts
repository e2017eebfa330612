import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A static file in memory: there are few and they are small. */
export interface Asset {
  plain: Body;
  /** Precompressed bodies, where these are smaller. */
  encoded: ReadonlyMap<Encoding, Body>;
  /** True if the address contains a hash of the content. */
  immutable: boolean;
}

interface Body {
  bytes: Buffer;
  etag: string;
}

/** Content encodings with their file extensions, best first. */
export const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
type Encoding = (typeof encodings)[number][0];

export interface Assets {
  /** By path. */
  files: ReadonlyMap<string, Asset>;
  /** Addresses of the hashed files by their name in public/. Templates use `assets["app.css"]`. */
  addresses: Readonly<Record<string, string>>;
}

/**
 * Output of `npm run build` in `folder`; throws if there is none. If `watched` (npm run dev), each call
 * of the result checks for a new build.
 */
export function openAssets(folder: string, watched: boolean): () => Assets {
  let made = "";
  let assets = readAssets(folder);
  return () => {
    if (!watched) return assets;
    const latest = String(statSync(manifestIn(folder), { throwIfNoEntry: false })?.mtimeMs);
    if (latest !== made) assets = readAssets(folder);
    made = latest;
    return assets;
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

function readAsset(root: string, path: string, all: ReadonlySet<string>): Asset {
  const there = encodings.filter(([, ending]) => all.has(path + ending));
  return {
    plain: readBody(join(root, path)),
    encoded: new Map(there.map(([name, ending]) => [name, readBody(join(root, path + ending))])),
    immutable: path.startsWith("/assets/"),
  };
}

function readBody(file: string): Body {
  const bytes = readFileSync(file);
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return { bytes, etag: `"${digest}"` };
}
