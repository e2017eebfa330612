import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file as it is served, whole in memory: there are few and they are small. */
export interface Asset {
  body: Buffer;
  /** The same in a smaller form, where it is smaller. */
  encoded: ReadonlyMap<Encoding, Buffer>;
  /** Its address changes with its content. */
  immutable: boolean;
}

/** Of a content encoding, best first; and the ending of such a file. */
export const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;
export type Encoding = (typeof encodings)[number][0];

export interface Assets {
  /** By path. */
  files: ReadonlyMap<string, Asset>;
  /** Where each of the hashed files is, by its name in public/. Templates ask for `assets["app.css"]`. */
  addresses: Readonly<Record<string, string>>;
}

/**
 * What `npm run build` has made in `folder`; throws if it has not. With `watched`, each call of the
 * result looks whether it was made anew: npm run dev.
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
    body: readFileSync(join(root, path)),
    encoded: new Map(
      there.map(([name, ending]) => [name, readFileSync(join(root, path + ending))]),
    ),
    immutable: path.startsWith("/assets/"),
  };
}
