import { afterAll, beforeAll, describe, expect, it } from "vitest";
import sharp from "sharp";
import { findUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { noise, photo, picture, pngBomb } from "../support/data/pictures.ts";
import { tweetsOn } from "../support/inspect/page.ts";
import { send, sources } from "../support/actors/composer.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { storedFiles } from "../support/inspect/stored-files.ts";

const keptIn = (html: string) =>
  [...html.matchAll(/name="uploads" value="([0-9a-f]{24})"/g)].map(([, id = ""]) => id);

describe("pictures in tweets", () => {
  let world: World;
  let ann: Visitor;
  let bob: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    ann = await world.newcomer("ann");
    bob = await world.newcomer("bob");
  });
  afterAll(() => world.close());

  const files = () => storedFiles(world.ctx);

  it("a tweet with two described pictures is shown to everybody, and its pictures can be opened", async () => {
    const pictures = [await photo(), await picture("png", { width: 1500, height: 900 })];
    const sent = await send(ann, {
      text: "two",
      pictures,
      descriptions: ["Red above", "A <wall>"],
    });
    expect(sent.status).toBe(303);
    const { text: page } = await bob.get("/@ann").expect(200);
    expect(page).toContain('alt="Red above"');
    expect(page).toContain('alt="A &lt;wall&gt;"');
    expect(page).toContain('class="pictures pictures-2"');
    expect(sources(page)).toHaveLength(2);
    // Turned upright: the upload is 600 × 400 with a rotation.
    expect(page).toContain('width="400" height="600"');
    for (const src of sources(page)) {
      const { body, headers } = await bob.get(src).buffer(true).expect(200);
      expect(headers["content-type"]).toBe("image/webp");
      expect(headers["cache-control"]).toContain("immutable");
      const about = await sharp(body as Buffer).metadata();
      expect(about.format).toBe("webp");
      expect([about.exif, about.xmp, about.iptc, about.icc]).toEqual(Array(4).fill(undefined));
    }
    const [tweet] = tweetsOn(page);
    const first = await bob.get(`/tweets/${tweet?.id}/pictures/1`).expect(200);
    expect(first.text).toContain("Red above");
    expect(first.text).toContain(`href="/tweets/${tweet?.id}/pictures/2" rel="next"`);
    await bob.get(`/tweets/${tweet?.id}/pictures/3`).expect(404);
    await bob.get(`/tweets/${tweet?.id}/pictures/x`).expect(404);
    expect((await files()).some((name) => name.endsWith(".upload"))).toBe(false);
  });

  it("two tabs with the same form and other pictures make two tweets, and a repeat none", async () => {
    const writer = await world.newcomer("tabs");
    const nonce = "the-same-page";
    const [one, other] = [await picture("png"), await picture("png", { width: 500 })];
    for (const bytes of [one, other, one, other])
      expect((await send(writer, { nonce, pictures: [bytes] })).status).toBe(303);
    const { text: page } = await writer.get("/@tabs").expect(200);
    expect(tweetsOn(page)).toHaveLength(2);
    expect(new Set(sources(page)).size).toBe(2);
  });

  it("a picture that a form kept is in one tweet, though the form is sent again with another text", async () => {
    const writer = await world.newcomer("again");
    const refused = await send(writer, { text: "x".repeat(281), pictures: [await picture("png")] });
    const form = { nonce: "kept", uploads: keptIn(refused.text) };
    for (let time = 1; time <= 2; time += 1)
      expect((await send(writer, { ...form, text: "the first" })).status).toBe(303);
    const again = await send(writer, { ...form, text: "the second" });
    expect(again.status).toBe(422);
    expect(again.text).toContain("the second");
    expect(again.text).toContain("Another tweet shows this picture already");
    expect(await writer.see("/@again")).toMatchObject([{ text: "the first" }]);
  });

  it("a part of a picture can be asked for", async () => {
    const { text: page } = await bob.get("/@ann").expect(200);
    const [src = ""] = sources(page);
    const { body: whole } = await bob.get(src).buffer(true).expect(200);
    const part = await bob.get(src).set("Range", "bytes=4-11").buffer(true).expect(206);
    expect(part.body).toEqual((whole as Buffer).subarray(4, 12));
    expect(part.headers["content-range"]).toBe(`bytes 4-11/${(whole as Buffer).length}`);
    await bob.get(src).set("Range", "bytes=99999999-").expect(416);
    await bob.get(src.replace(/.{5}\.webp/, "00000.webp")).expect(404);
    await bob.get("/pictures/..%2F..%2Fsession-secret").expect(404);
  });

  it("a tweet may have a picture and no text, but not neither", async () => {
    expect((await send(ann, { pictures: [await picture("webp")] })).status).toBe(303);
    const refused = await send(ann, {});
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("text-error");
  });

  it("the first pictures of a page are loaded at once, the others when they come into view", async () => {
    const { text: page } = await bob.get("/@ann").expect(200);
    const [first, ...others] = page.match(/<img src="\/pictures\/[^>]*>/g) ?? [];
    expect(first).toContain('fetchpriority="high"');
    expect(first).not.toContain("loading=");
    expect(others.length).toBeGreaterThan(1);
    for (const one of others) expect(one).toContain('loading="lazy"');
    for (const one of others) expect(one).not.toContain("fetchpriority");
  });

  it("sensitive pictures are behind a cover", async () => {
    await send(ann, { text: "covered", pictures: [await picture("png")], sensitive: true });
    const { text: page } = await bob.get("/@ann").expect(200);
    expect(page).toMatch(/<details class="picture-cover"><summary><span>Sensitive pictures/);
  });

  it("a moving picture keeps moving, and has a still", async () => {
    const frames = await Promise.all(
      ["#f00", "#0f0", "#00f"].map((background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const gif = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [90, 90, 90] })
      .toBuffer();
    expect((await send(ann, { text: "moves", pictures: [gif] })).status).toBe(303);
    const { text: page } = await bob.get("/@ann").expect(200);
    const [src = ""] = sources(page);
    const { body } = await bob.get(src).buffer(true).expect(200);
    expect((await sharp(body as Buffer, { animated: true }).metadata()).pages).toBe(3);
    expect(page).toContain('width="40" height="30"');
    expect(page).toContain("prefers-reduced-motion");
  });

  it("a refused picture loses neither the text nor the other pictures", async () => {
    const bad = Buffer.from("<svg onload=alert(1)>");
    const long = "x".repeat(1001);
    const good = await picture("jpeg");
    const refused = await send(ann, {
      text: "kept words",
      pictures: [bad, good, pngBomb(40_000, 40_000), good],
      descriptions: ["one", "two", "three", long],
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("kept words");
    expect(refused.text).toContain("not a JPEG, PNG");
    expect(refused.text).toContain("at most 1,000 characters");
    const kept = keptIn(refused.text);
    expect(kept).toHaveLength(2);
    expect(refused.text).toMatch(/name="description_1"[^>]*value="two"/);
    const again = await send(ann, {
      text: "kept words",
      uploads: kept,
      descriptions: ["two", "short"],
    });
    expect(again.status).toBe(303);
    const { text: page } = await bob.get("/@ann").expect(200);
    expect(page).toContain('alt="short"');
    // Another tweet cannot show them.
    const twice = await send(ann, { text: "again", uploads: kept });
    expect(twice.status).toBe(422);
    const stolen = await send(bob, { text: "mine", uploads: kept });
    expect(stolen.status).toBe(422);
    expect(stolen.text).toContain("is gone");
  });

  it("five pictures are too many", async () => {
    const one = await picture("png");
    const refused = await send(ann, { text: "five", pictures: [one, one, one, one, one] });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("at most four pictures");
    expect(refused.text).toContain("five");
  });

  it("deleting a tweet deletes its pictures", async () => {
    await send(ann, { text: "to go", pictures: [await picture("png")] });
    const { text: page } = await ann.get("/@ann").expect(200);
    const [tweet] = tweetsOn(page);
    const [src = ""] = sources(page);
    await bob.get(src).expect(200);
    await ann.post(`/tweets/${tweet?.id}/delete`).expect(303);
    await bob.get(src).expect(404);
    expect(await files()).not.toContain(src.slice("/pictures/".length));
    expect(await world.ctx.redis.hget(keys.tweet(tweet?.id as never), "pictures")).toBeNull();
  });

  it("the pictures of a suspended user are not found", async () => {
    const { text: page } = await bob.get("/@ann").expect(200);
    const [src = ""] = sources(page);
    const user = await findUserByName(world.ctx, "ann");
    await world.ctx.redis.hset(keys.user(user?.id as never), "suspended_at", "1");
    await bob.get(src).expect(404);
    await world.ctx.redis.hdel(keys.user(user?.id as never), "suspended_at");
    await bob.get(src).expect(200);
  });
});

describe("pictures over a limit", () => {
  it("a tweet over the limit is shown again as typed", async () => {
    const small = await createWorld({ limits: { "tweets:account": 0, "tweets:newAccount": 0 } });
    const eve = await small.newcomer("eve");
    for (const pictures of [[], [await noise()]]) {
      const refused = await send(eve, { text: "too much", pictures });
      expect(refused.status).toBe(429);
      expect(refused.text).toContain("too much</textarea>");
    }
    await small.close();
  });
});
