import * as fs from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";

/** --paper by day, see public/css/tokens.css. */
const PAPER = "#f8f3ec";

/** The mark in every form that browsers and apps ask for, drawn from public/favicon.svg. */
export async function drawIcons(root) {
  const mark = await fs.readFile(path.join(root, "public", "favicon.svg"));
  const ico = await Promise.all([16, 32, 48].map(async (size) => [size, await draw(mark, size)]));
  return [
    { path: "icon.png", bytes: await draw(mark, 512) },
    { path: "icon-192.png", bytes: await draw(mark, 192) },
    // Systems cut these to a shape of theirs: they have no hole, and nothing near the edge.
    { path: "icon-maskable.png", bytes: await drawOnPaper(mark, 512, 320) },
    { path: "apple-touch-icon.png", bytes: await drawOnPaper(mark, 180, 140) },
    { path: "favicon.ico", bytes: packIco(ico) },
  ];
}

async function draw(mark, size) {
  const { width } = await sharp(mark).metadata();
  // 72 dots per inch draw it in its own size.
  return await sharp(mark, { density: (72 * size) / width })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

async function drawOnPaper(mark, size, markSize) {
  const paper = sharp({ create: { width: size, height: size, channels: 3, background: PAPER } });
  return await paper
    .composite([{ input: await draw(mark, markSize) }])
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();
}

/** An .ico of PNG pictures: a head, an entry of 16 bytes for each, then the pictures. */
function packIco(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [nth, [size, bytes]] of pictures.entries()) {
    const entry = 6 + 16 * nth;
    head.writeUInt8(size, entry);
    head.writeUInt8(size, entry + 1);
    head.writeUInt16LE(1, entry + 4);
    head.writeUInt16LE(32, entry + 6);
    head.writeUInt32LE(bytes.length, entry + 8);
    head.writeUInt32LE(offset, entry + 12);
    offset += bytes.length;
  }
  return Buffer.concat([head, ...pictures.map(([, bytes]) => bytes)]);
}
