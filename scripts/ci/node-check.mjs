// Starts the site on the Node.js that runs this, and does what depends on it: a password, a picture, a compressed page.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";
import { Browser } from "./browser.mjs";
import { Site, sparePort } from "./site.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fs.mkdtempSync(path.join(tmpdir(), "suzume-node-"));
const port = await sparePort();
const base = `http://127.0.0.1:${port}`;
const site = new Site(root, { port, dataDir: path.join(folder, "data") });

async function checkSite() {
  await site.opensWithin(60_000);
  const metrics = await (await fetch(`${base}/metrics`)).text();
  assert.ok(metrics.includes(`version="${process.version}"`), "the site runs on this Node.js");
  const wren = new Browser(base);
  const fields = { name: "wren", fullname: "Wren", password: "early birds sing 7" };
  assert.equal((await wren.post("/signup", fields)).status, 303, "wren signs up");
  const form = new FormData();
  form.append("text", "painted");
  form.append("pictures", new Blob([fs.readFileSync(picture)]), "wren.png");
  assert.equal((await wren.send("/tweets", form)).status, 303, "wren tweets a picture");
  const { text } = await wren.get("/@wren");
  const [, source] = /<img src="(\/pictures\/[^"]+)"/.exec(text) ?? [];
  assert.ok(source !== undefined, "the picture is on the page");
  const shown = await fetch(base + source);
  assert.equal(shown.headers.get("content-type"), "image/webp", "the picture is converted");
  return `${process.version}, pages in ${await checkEncoding()}`;
}

const picture = path.join(root, "docs", "screenshots", "profile.png");

/** zstd where this Node.js has it. Returns the encoding. */
async function checkEncoding() {
  const { get } = await import("node:http");
  const answer = await new Promise((resolve, reject) => {
    const headers = { "Accept-Encoding": "gzip, deflate, br, zstd" };
    get(`${base}/explore`, { headers }, resolve).on("error", reject);
  });
  const chunks = await answer.toArray();
  const encoding = answer.headers["content-encoding"];
  assert.equal(encoding, zlib.zstdDecompressSync ? "zstd" : "br", "the best encoding is used");
  const open = encoding === "zstd" ? zlib.zstdDecompressSync : zlib.brotliDecompressSync;
  assert.match(open(Buffer.concat(chunks)).toString(), /<\/html>\s*$/, "the page is whole");
  return encoding;
}

try {
  const outcome = await checkSite();
  site.signal("SIGINT");
  assert.ok(await site.endsWithin(15_000), "Ctrl-C ends the site");
  process.stdout.write(`${outcome}\n`);
} catch (error) {
  process.stderr.write(`${error.stack}\n\nnpm start wrote:\n${site.output}\n`);
  process.exitCode = 1;
} finally {
  site.signal("SIGKILL");
  await sleep(100);
  fs.rmSync(folder, { recursive: true, force: true });
}
