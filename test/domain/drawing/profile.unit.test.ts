import * as fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { pictureFormat } from "../../../src/domain/drawing/decoder.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { avatarBytes, avatarSize, drawAvatar } from "../../../src/domain/drawing/profile.ts";
import { noise, photo, picture, pngBomb } from "../../support/data/pictures.ts";
import { runs } from "../../support/models/property-runs.ts";

const formats = ["jpeg", "png", "webp", "gif", "avif"] as const;
const refusal = async (upload: Buffer) =>
  await drawAvatar(upload).then(
    () => "accepted",
    (error: unknown) => (error instanceof Invalid ? error.problems["avatar"] : error),
  );

describe("an uploaded picture", () => {
  it.each(formats)(
    "an uploaded picture may be %s and becomes a small square WebP",
    async (format) => {
      const upload = await picture(format);
      expect(pictureFormat(upload)).toBe(format);
      const avatar = await drawAvatar(upload);
      expect(avatar.length).toBeLessThanOrEqual(avatarBytes);
      expect(await sharp(avatar).metadata()).toMatchObject({
        format: "webp",
        width: avatarSize,
        height: avatarSize,
        hasAlpha: false,
      });
    },
  );

  it("an uploaded picture is turned upright and loses all metadata", async () => {
    const upload = await photo();
    expect(upload.includes("SecretPhone") && upload.includes("secret-xmp")).toBe(true);
    const before = await sharp(upload).metadata();
    expect([before.orientation, before.exif?.length ?? 0]).toEqual([6, expect.toSatisfy(Boolean)]);
    const avatar = await drawAvatar(upload);
    const { orientation, exif, xmp, icc, iptc } = await sharp(avatar).metadata();
    expect([orientation, xmp, icc, iptc]).toEqual([1, undefined, undefined, undefined]);
    expect(avatar.toString("latin1")).not.toMatch(/Secret|somebody|xmp|GPS/i);
    // Its own random id: the address of an avatar cannot be computed from a known picture.
    expect(exif?.toString("latin1")).toMatch(/[0-9a-f]{8}-[0-9a-f-]{27}/);
    const pixels = await sharp(avatar).raw().toBuffer();
    const [red = 0, green = 0] = pixels.subarray(3 * 96);
    const bottom = pixels.subarray(-3 * 96);
    expect([red > green, (bottom[0] ?? 0) > (bottom[1] ?? 0)]).toEqual([true, false]);
  });

  it("only the first frame of an animation is kept", async () => {
    const frames = await Promise.all(
      ["#f00", "#0f0"].map(
        async (background) =>
          await sharp({ create: { width: 20, height: 20, channels: 3, background } })
            .png()
            .toBuffer(),
      ),
    );
    const film = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    expect((await sharp(film).metadata()).pages).toBe(2);
    const avatar = await drawAvatar(film);
    expect((await sharp(avatar).metadata()).pages ?? 1).toBe(1);
    const [red = 0, green = 0] = await sharp(avatar).raw().toBuffer();
    expect(red > green).toBe(true);
  });

  it("noise and odd shapes fit the size limit", async () => {
    for (const upload of [
      await noise(),
      await picture("png", { width: 1, height: 1 }),
      await picture("png", { width: 4000, height: 1 }),
      await picture("jpeg", { width: 2, height: 3000 }),
    ])
      expect((await drawAvatar(upload)).length).toBeLessThanOrEqual(avatarBytes);
  });

  it("a transparent picture gets a white ground", async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    const clear = sharp({ create: { width: 20, height: 20, channels: 4, background } });
    const avatar = await drawAvatar(await clear.png().toBuffer());
    const [red = 0] = await sharp(avatar).raw().toBuffer();
    expect(red).toBeGreaterThan(250);
  });

  it("pixels hidden by transparency are lost", async () => {
    const script = "<script>alert(1)</script><?php system($_GET[0]); ?>";
    for (const format of formats) {
      const polyglot = Buffer.concat([await picture(format), Buffer.from(script)]);
      const avatar = await drawAvatar(polyglot);
      expect(avatar.toString("latin1")).not.toMatch(/script|php/);
    }
  });

  it.each([
    ["nothing", ""],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    [
      "SVG with a declaration",
      '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg/>',
    ],
    ["HTML", "<!doctype html><script>alert(1)</script>"],
    ["PDF", "%PDF-1.7\n%âãÏÓ"],
    ["PostScript", "%!PS-Adobe-3.0\n"],
    ["a zip", "PK\u0003\u0004"],
    ["ImageMagick's language", "push graphic-context\nfill 'url(https://evil.example/x.png)'"],
    ["a BMP", "BM\u0036\u0000\u0000\u0000"],
    ["a film", "\u0000\u0000\u0000\u0018ftypisom\u0000\u0000\u0000\u0000isommp42"],
    ["a WAV", "RIFF\u0024\u0000\u0000\u0000WAVEfmt "],
  ])("a picture is not %s", async (_, content) => {
    const upload = Buffer.from(content, "latin1");
    expect(pictureFormat(upload)).toBeUndefined();
    expect(await refusal(upload)).toBe("avatar.format");
  });

  it("an avatar is no HEIC", async () => {
    const heic = "\u0000\u0000\u0000\u0018ftypheic\u0000\u0000\u0000\u0000mif1heic";
    const upload = Buffer.from(heic, "latin1");
    expect(pictureFormat(upload)).toBe("heic");
    expect(await refusal(upload)).toBe("avatar.format");
  });

  it("an unsupported format is refused, though the decoder knows it", async () => {
    expect(await refusal(await picture("tiff"))).toBe("avatar.format");
  });

  it("a picture that unpacks beyond the memory limit is refused", async () => {
    for (const [width, height] of [
      [30_000, 30_000],
      [6000, 6000],
      [65_535, 65_535],
    ] as const) {
      const bomb = pngBomb(width, height);
      expect(bomb.length).toBeLessThan(200_000);
      expect(await refusal(bomb)).toBe("avatar.pixels");
    }
    expect(await refusal(await picture("jpeg", { width: 8001, height: 4000 }))).toBe(
      "avatar.pixels",
    );
  });

  it("a damaged picture is refused, wherever the damage is", async () => {
    for (const format of formats) {
      const whole = await picture(format);
      for (const part of [0.3, 0.6]) {
        const cut = whole.subarray(0, Math.max(32, Math.floor(whole.length * part)));
        expect([format, part, await refusal(cut)]).toEqual([format, part, "avatar.broken"]);
      }
    }
  });

  it("any bytes are accepted or refused without a crash", async () => {
    const heads = await Promise.all(formats.map((format) => picture(format)));
    const hostile = fc
      .record({
        head: fc.constantFrom(...heads),
        kept: fc.nat(400),
        changes: fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 20 }),
        tail: fc.uint8Array({ maxLength: 300 }),
        whole: fc.boolean(),
      })
      .map(({ head, kept, changes, tail, whole }) => {
        const bytes = Buffer.concat([whole ? head : head.subarray(0, 12 + kept), tail]);
        for (const [place, value] of changes)
          if (place + 12 < bytes.length) bytes[place + 12] = value;
        return bytes;
      });
    await fc.assert(
      fc.asyncProperty(hostile, async (upload) => {
        expect(await refusal(upload)).toBeOneOf([
          "accepted",
          "avatar.format",
          "avatar.broken",
          "avatar.pixels",
        ]);
      }),
      runs(150),
    );
  });
});
