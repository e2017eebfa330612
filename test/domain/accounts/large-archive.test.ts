import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { findImport } from "../../../src/domain/accounts/import-store.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { newPerson } from "../../support/actors/people.ts";
import { exportFileWith, fileTweets, previewImport } from "../../support/data/account-files.ts";
import { largeArchive } from "../../support/data/large-archive.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const [tweetCount, pictureCount] = [50_000, 2000];
const megabyte = 1024 * 1024;

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

  it("an export that is larger unpacked than 20 MB is read as the host allows", async () => {
    const mover = await newPerson(ctx);
    const like = Array.from({ length: 100_000 }, (_, nth) => ({
      created_at: "2020-05-01T10:00:00.000Z",
      url: `https://suzume.example/tweets/${nth}`,
      text: "x".repeat(150),
    }));
    const file = exportFileWith({ like, tweet: fileTweets("one") });
    expect(file.length).toBeGreaterThan(20 * megabyte);
    await previewImport(ctx, mover, file);
    expect(await findImport(ctx, mover)).toMatchObject({ preview: { counts: { tweet: 1 } } });
  });

  it("50,000 tweets and 2,000 pictures are read in bounded memory", async () => {
    const mover = await world.newcomer("mover");
    const file = await largeArchive({ tweets: tweetCount, pictures: pictureCount });
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
