import sharp from "sharp";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Invalid } from "../../../src/domain/errors.ts";
import { drawPicture } from "../../../src/domain/drawing/picture.ts";
import { noise, noisyFilm, photo, picture, pngBomb } from "../../support/data/pictures.ts";

const refusal = async (upload: Buffer) =>
  await drawPicture(upload).then(
    () => "accepted",
    (error: unknown) => (error instanceof Invalid ? error.problems["picture"] : error),
  );

/** A film of single-coloured frames. */
async function film(frames: number, { width = 40, height = 30 } = {}): Promise<Buffer> {
  const [red, green] = await Promise.all(
    ["#f00", "#0f0"].map(async (background) => {
      const create = { width, height, channels: 3, background } as const;
      return await sharp({ create }).png().toBuffer();
    }),
  );
  const pictures = Array.from({ length: frames }, (_, nth) => (nth % 2 === 0 ? red : green));
  return await sharp(pictures as Buffer[], { join: { animated: true } })
    .gif({ loop: 0, effort: 1 })
    .toBuffer();
}

describe("a picture of a tweet", () => {
  it.each(["jpeg", "png", "webp", "gif", "avif"] as const)(
    "%s becomes three WebPs",
    async (format) => {
      const upload = await picture(format, { width: 2600, height: 1300 });
      const { tiny, small, large, moving, blur, hash } = await drawPicture(upload);
      expect([tiny?.width, tiny?.height]).toEqual([480, 240]);
      expect([small.width, small.height, large.width, large.height]).toEqual([
        960, 480, 2048, 1024,
      ]);
      for (const { bytes, width, height } of [small, large])
        expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width, height });
      expect(moving).toBe(false);
      expect(Buffer.from(blur, "base64").length).toBeLessThan(300);
      expect(hash).toMatch(/^\S{6,}$/);
    },
  );

  it("a small picture is not enlarged", async () => {
    const upload = await picture("png", { width: 20, height: 9 });
    const { tiny, small, large } = await drawPicture(upload);
    expect(tiny).toBeUndefined();
    expect([small.width, small.height, large.width, large.height]).toEqual([20, 9, 20, 9]);
  });

  it("a photo is turned upright and tells nothing about its camera or place", async () => {
    const { small, large } = await drawPicture(await photo());
    expect([large.width, large.height]).toEqual([400, 600]);
    for (const { bytes } of [small, large]) {
      const { exif, xmp, iptc, icc, orientation } = await sharp(bytes).metadata();
      expect([exif, xmp, iptc, icc, orientation]).toEqual(Array(5).fill(undefined));
      expect(bytes.toString("latin1")).not.toMatch(/SecretPhone|secret-xmp|GPS/);
    }
  });

  it("greys, transparency and CMYK are pictures too", async () => {
    const base = sharp(await picture("png"));
    const uploads = [
      await base.clone().greyscale().toColourspace("b-w").png().toBuffer(),
      await base.clone().ensureAlpha(0.5).png().toBuffer(),
      await base.clone().toColourspace("cmyk").jpeg().toBuffer(),
    ];
    for (const upload of uploads) expect(await refusal(upload)).toBe("accepted");
  });

  it("a moving picture moves within its limits", async () => {
    const { small, large, moving } = await drawPicture(await film(5));
    expect(moving).toBe(true);
    expect((await sharp(large.bytes, { animated: true }).metadata()).pages).toBe(5);
    expect([large.width, large.height]).toEqual([40, 30]);
    expect((await sharp(small.bytes).metadata()).pages).toBeUndefined();
  });

  it("bombs are refused: too many pixels, too many frames, too many pixels in all frames", async () => {
    expect(await refusal(pngBomb(40_000, 40_000))).toBe("picture.pixels");
    expect(await refusal(await film(501))).toBe("picture.pixels");
    expect(await refusal(await film(9, { width: 2000, height: 2000 }))).toBe("picture.pixels");
  });

  it("a small file of moving noise is refused by a sample, before all its frames are drawn", async () => {
    const noisy = await noisyFilm(300);
    expect(noisy.length).toBeLessThan(100_000);
    const about = await sharp(noisy).metadata();
    expect([about.pages, about.width]).toEqual([300, 256]);
    const seen = vi.fn<() => void>();
    sharp.queue.on("change", seen);
    onTestFinished(() => void sharp.queue.off("change", seen));
    expect(await refusal(noisy)).toBe("picture.pixels");
    // It begins and ends.
    expect(seen).toHaveBeenCalledTimes(2);
  });

  it("noise is compressed until it is small enough", async () => {
    const { large } = await drawPicture(await noise());
    expect(large.bytes.length).toBeLessThanOrEqual(2_000_000);
  });

  it("what follows or hides in a picture does not come out", async () => {
    const script = "<script>alert(1)</script>";
    const polyglot = Buffer.concat([await picture("gif"), Buffer.from(`PK\u0003\u0004${script}`)]);
    const { large, small } = await drawPicture(polyglot);
    for (const { bytes } of [large, small]) expect(bytes.toString("latin1")).not.toContain(script);
  });

  it("what is no picture, is cut or is HEIC is refused with its reason", async () => {
    expect(await refusal(Buffer.from("<svg onload=alert(1)/>"))).toBe("picture.format");
    expect(await refusal(Buffer.alloc(0))).toBe("picture.format");
    expect(await refusal((await picture("jpeg")).subarray(0, 400))).toBe("picture.broken");
    const heic = "\u0000\u0000\u0000\u0018ftypheic\u0000\u0000\u0000\u0000mif1heic";
    expect(await refusal(Buffer.from(heic, "latin1"))).toBe("picture.heic");
  });
});
