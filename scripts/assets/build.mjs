import * as fs from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { bundle } from "./bundle.mjs";
import { drawIcons } from "./icons.mjs";

/** What is compressed already, or smaller than a packet, gains nothing. */
const COMPRESSED = /\.(avif|gz|ico|jpe?g|png|webp|woff2?)$/;
const LEAST_BYTES = 512;

/**
 * Makes dist/public anew. What lies in /assets/ has a hash of its content in its name;
 * dist/assets.json tells the address of each: {"app.css": "/assets/app-XXXXXXXX.css"}. What browsers
 * and others ask for by a name of its own (favicon.svg, icon.png) keeps it. Beside most
 * files stand smaller forms of them, .br and .gz.
 */
export async function buildAssets(root) {
  const { files, addresses } = await bundle(root);
  const named = [...(await readNamed(root)), ...(await drawIcons(root))];
  const target = path.join(root, "dist", "public");
  const fresh = `${target}.new`;
  await fs.rm(fresh, { recursive: true, force: true });
  for (const file of [...files, ...named]) await write(path.join(fresh, file.path), file.bytes);
  await fs.rm(target, { recursive: true, force: true });
  await fs.rename(fresh, target);
  const manifest = path.join(root, "dist", "assets.json");
  await fs.writeFile(`${manifest}.new`, JSON.stringify(addresses));
  await fs.rename(`${manifest}.new`, manifest);
}

/** The files that lie in public/ itself. */
async function readNamed(root) {
  const folder = path.join(root, "public");
  const entries = await fs.readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return await Promise.all(
    names.map(async (name) => ({ path: name, bytes: await fs.readFile(path.join(folder, name)) })),
  );
}

async function write(file, bytes) {
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, bytes);
  if (COMPRESSED.test(file) || bytes.length < LEAST_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await fs.writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  await fs.writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
