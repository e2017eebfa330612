import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";

import { getUserByName } from "../../../src/domain/users/store.ts";
import { picture } from "../../support/data/pictures.ts";
import { xFile, xTweet } from "../../support/data/x-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

const [tweetCount, pictureCount] = [50_000, 2000];
const megabyte = 1024 * 1024;

/** As X makes it: texts of a hundred characters, every 25th tweet with a picture. */
async function largeArchive(): Promise<Buffer> {
  const start = Date.UTC(2012, 0, 1);
  const zip = new ZipFile();
  const tweets = Array.from({ length: tweetCount }, (_, nth) => ({
    id: String(1_000_000 + nth),
    text: `number ${nth}: ${"some words of this day and of others, ".repeat(2)}${nth % 25 === 0 ? "https://t.co/p" : ""}`,
    at: new Date(start + nth * 7_200_000).toISOString(),
    ...(nth % 25 === 0 ? { media: [{ name: `P${nth}.jpg`, short: "https://t.co/p" }] } : {}),
  }));
  zip.addBuffer(xFile("tweets", tweets.map(xTweet)), "data/tweets.js");
  const bytes = await picture("jpeg", { width: 2000, height: 1400 });
  for (let nth = 0; nth < pictureCount; nth += 1)
    zip.addBuffer(bytes, `data/tweets_media/${1_000_000 + nth * 25}-P${nth * 25}.jpg`, {
      compress: false,
    });
  zip.end();
  return await buffer(zip.outputStream);
}

/** Bytes that this process holds. */
function used(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("a large archive", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({ importMegabytes: 60 }, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("50,000 tweets and 2,000 pictures are read in bounded memory", async () => {
    const mover = await world.newcomer("mover");
    const file = await largeArchive();
    expect(file.length).toBeGreaterThan(20 * megabyte);
    const before = used();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, used() - before)), 20);
    // Reading takes longer than a page may take.
    await mover.agent.post("/settings/data").attach("file", file, "archive.zip").expect(303);
    clearInterval(timer);
    const { id } = await getUserByName(ctx, "mover");
    expect(await findImport(ctx, id)).toMatchObject({
      total: tweetCount,
      preview: { counts: { tweet: tweetCount, picture: pictureCount }, skipped: {} },
    });
    // Of this, most is garbage. The tweets alone have 90 MB when they are unpacked, and several times that as objects.
    expect(most).toBeLessThan(400 * megabyte);
  }, 120_000);
});
