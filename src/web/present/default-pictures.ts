import { loadSharp } from "../../domain/drawing/decoder.ts";
import type { User } from "../../domain/users/store.ts";
import { avatarUrl, tintOf, tints } from "./avatars.ts";

/** Pixels of each side; phones show 80 at a density of three at most. */
const avatarPixels = 240;
const header = { width: 1500, height: 500, colour: "#dfe3e8" };
/** Samples of a pixel in each direction: the edges are smooth. */
const samples = 4;

/** Clients know by this name that there is no such picture. */
export const missingHeader = "/headers/original/missing.png";

/**
 * Address of a user's avatar for apps: phones do not decode the SVG of a letter. A bust in place of the letter, as a
 * server may have no fonts.
 */
export function appAvatarUrl(user: User): string {
  return user.avatar === "" ? `/avatars/default-${tintOf(user)}.png` : avatarUrl(user);
}

/** PNGs by path, each drawn once. */
const drawn = new Map<string, Promise<Buffer>>();

/** The PNG of a user or header without a picture; undefined for other paths. */
export async function drawDefault(path: string): Promise<Buffer | undefined> {
  const [, tint = ""] = /^\/avatars\/default-(\d|1\d)\.png$/.exec(path) ?? [];
  const fill = tint === "" ? undefined : tints[Number(tint)];
  if (fill === undefined && path !== missingHeader) return undefined;
  const known = drawn.get(path);
  if (known !== undefined) return await known;
  const drawing = fill === undefined ? drawHeader() : drawBust(fill);
  drawn.set(path, drawing);
  // The next request tries again.
  drawing.catch(() => drawn.delete(path));
  return await drawing;
}

async function drawHeader(): Promise<Buffer> {
  const sharp = await loadSharp();
  const { width, height, colour } = header;
  const plain = { width, height, channels: 3 as const, background: colour };
  return await sharp({ create: plain }).png({ palette: true }).toBuffer();
}

/** Head and shoulders, white on `fill`. */
async function drawBust(fill: string): Promise<Buffer> {
  const colour = [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16));
  const pixels = Buffer.alloc(avatarPixels * avatarPixels * 3);
  for (let y = 0; y < avatarPixels; y += 1)
    for (let x = 0; x < avatarPixels; x += 1) {
      const white = coverage(x, y);
      const at = (y * avatarPixels + x) * 3;
      for (const [nth, part] of colour.entries())
        pixels[at + nth] = Math.round(part + (255 - part) * white);
    }
  const sharp = await loadSharp();
  const raw = { width: avatarPixels, height: avatarPixels, channels: 3 as const };
  return await sharp(pixels, { raw }).png({ palette: true }).toBuffer();
}

/** Part of a pixel that the bust covers, 0 to 1. */
function coverage(x: number, y: number): number {
  let inside = 0;
  for (let nth = 0; nth < samples * samples; nth += 1) {
    const across = (x + ((nth % samples) + 0.5) / samples) / avatarPixels - 0.5;
    const down = (y + (Math.floor(nth / samples) + 0.5) / samples) / avatarPixels;
    const isHead = Math.hypot(across, down - 0.38) < 0.17;
    if (isHead || Math.hypot(across / 0.33, (down - 1) / 0.36) < 1) inside += 1;
  }
  return inside / (samples * samples);
}
