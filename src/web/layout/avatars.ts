import { loadSharp } from "../../domain/drawing/decoder.ts";
import { avatarPath } from "../../domain/users/avatars.ts";
import { cleanLine, firstGrapheme, isBlank } from "../../domain/users/display-text.ts";
import type { User } from "../../domain/users/store.ts";

/**
 * Backgrounds of letter avatars: twelve hues of the same lightness. White text on them has a contrast
 * above 4.5 : 1, and they stand out from light and dark pages.
 */
export const tints = [
  "#9e4c4e",
  "#9a5328",
  "#896105",
  "#6d6e0a",
  "#447838",
  "#047b60",
  "#0c777c",
  "#067398",
  "#4268a8",
  "#695ca3",
  "#855290",
  "#974c72",
] as const;

/** Max code points of a letter: an emoji of a kiss between people of different skin tones takes ten. */
const letterLimit = 12;

/** Address of a user's avatar. It changes with the picture, so clients may cache it for good. */
export function avatarUrl(user: User): string {
  const uploaded = avatarPath(user);
  if (uploaded !== undefined) return uploaded;
  const letter = letterOf(user.fullname) ?? user.name.slice(0, 1).toUpperCase();
  return letterUrl(tintOf(user), letter);
}

/** Index of the user's background. */
function tintOf({ id }: Pick<User, "id">): number {
  return Number(id.slice(-6)) % tints.length;
}

function letterUrl(tint: number, letter: string): string {
  const points = Array.from(letter, (one) => (one.codePointAt(0) ?? 0).toString(16));
  return `/avatars/${tint}-${points.join("-")}.svg`;
}

/** First grapheme of a cleaned text, as a capital; undefined if it cannot be shown. */
function letterOf(text: string): string | undefined {
  const first = firstGrapheme(text);
  // Few fonts have Georgian capitals, and names are not written with them.
  const capital = /\p{Script=Georgian}/u.test(first) ? first : first.toUpperCase();
  const letter = firstGrapheme(cleanLine(capital));
  const canShow = !isBlank(letter) && !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(letter);
  return canShow && Array.from(letter).length <= letterLimit ? letter : undefined;
}

/** The SVG at a path; undefined for paths that avatarUrl cannot make. */
export function drawLetter(path: string): string | undefined {
  const [, tint = "", points] = /^\/avatars\/(\d{1,2})-([0-9a-f-]{1,80})\.svg$/.exec(path) ?? [];
  const letter = points === undefined ? undefined : decodeLetter(points);
  const fill = tints[Number(tint)];
  if (letter === undefined || fill === undefined) return undefined;
  if (letterOf(letter) !== letter || letterUrl(Number(tint), letter) !== path) return undefined;
  const escaped = letter.replaceAll(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">' +
    `<path fill="${fill}" d="M0 0h40v40H0z"/>` +
    '<text x="20" y="26.1" font-family="system-ui,sans-serif" font-size="17" font-weight="600"' +
    ` fill="#fff" text-anchor="middle">${escaped}</text></svg>`
  );
}

function decodeLetter(points: string): string | undefined {
  const numbers = points.split("-").map((point) => Number.parseInt(point, 16));
  const isLetter = numbers.every((number) => number > 0 && number <= 0x10_ff_ff);
  return isLetter ? String.fromCodePoint(...numbers) : undefined;
}

/** Pixels of each side; phones show 80 at a density of three at most. */
const avatarPixels = 240;
const header = { width: 1500, height: 500, channels: 3, background: "#dfe3e8" } as const;
/** Samples of a pixel in each direction: the edges are smooth. */
const samples = 4;

/** Clients know by this name that there is no such picture. */
export const missingHeader = "/headers/original/missing.png";

/** A user's avatar for apps: phones do not decode SVG. A bust in place of the letter, as a server may have no fonts. */
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
  const drawing = drawn.get(path) ?? (fill === undefined ? drawHeader() : drawBust(fill));
  drawn.set(path, drawing);
  // The next request tries again.
  drawing.catch(() => drawn.delete(path));
  return await drawing;
}

async function drawHeader(): Promise<Buffer> {
  const sharp = await loadSharp();
  return await sharp({ create: header }).png({ palette: true }).toBuffer();
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
