import { type Drawing, redraw, smallWebp } from "./decoder.ts";

/** Width and height of the decoded logo, and of its largest picture. */
const logoSize = 512;
/** The picture on the start page, of 144 CSS pixels. Noise is made smaller until it is light. */
const large = { bytes: 3000, sizes: [192, 144, 96, 48] } as const;
/** The icon of the tab, which is also on every page, in 36 CSS pixels: part of what each first visit loads. */
const small = { bytes: 1500, size: 64, colours: [256, 64, 16, 4] } as const;
/** --paper by day, see public/css/tokens.css. */
const paper = "#f8f3ec";

/** Pictures made of a logo: for pages, and those that browsers, systems and link previews ask for. */
export const logoFiles = [
  "logo.webp",
  "favicon.png",
  "icon-192.png",
  "icon.png",
  "icon-maskable.png",
  "apple-touch-icon.png",
] as const;
export type LogoFile = (typeof logoFiles)[number];

/** All of the picture is shown, in the middle of a square that is clear around it. Throws Invalid beside `logo`. */
export async function drawLogo(upload: Buffer): Promise<Record<LogoFile, Buffer>> {
  return await redraw(upload, "logo", {
    cut: (picture) =>
      picture.ensureAlpha().resize(logoSize, logoSize, { fit: "contain", background: "#0000" }),
    draw: async (drawing) => ({
      "logo.webp": await smallWebp(drawing, large),
      "favicon.png": await drawFavicon(drawing),
      "icon-192.png": await drawIcon(drawing, 192),
      "icon.png": await drawIcon(drawing, 512),
      // Systems cut these to a shape of theirs: they have no hole, and nothing near the edge.
      "icon-maskable.png": await drawOnPaper(drawing, 512, 320),
      "apple-touch-icon.png": await drawOnPaper(drawing, 180, 140),
    }),
  });
}

/** With a palette, a photo takes a third. */
const png = { compressionLevel: 9, palette: true } as const;

async function drawFavicon({ sharp, data, info: raw }: Drawing): Promise<Buffer> {
  for (const colours of small.colours) {
    const icon = sharp(data, { raw }).resize(small.size, small.size);
    const bytes = await icon.png({ ...png, colours }).toBuffer();
    if (bytes.length <= small.bytes) return bytes;
  }
  throw new Error("no palette is small enough");
}

async function drawIcon({ sharp, data, info: raw }: Drawing, size: number): Promise<Buffer> {
  return await sharp(data, { raw }).resize(size, size).png(png).toBuffer();
}

async function drawOnPaper({ sharp, data, info: raw }: Drawing, size: number, inside: number) {
  const ground = { width: size, height: size, channels: 3, background: paper } as const;
  const input = await sharp(data, { raw }).resize(inside, inside).png().toBuffer();
  return await sharp({ create: ground }).composite([{ input }]).png(png).toBuffer();
}
