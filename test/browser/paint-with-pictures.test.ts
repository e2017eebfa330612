import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import type { TweetId } from "../../src/domain/ids.ts";
import { changeHeader } from "../../src/domain/pictures/header.ts";
import { addUpload, awaitUploads } from "../../src/domain/pictures/uploads.ts";
import { changeAvatar } from "../../src/domain/users/avatars.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { type BrowserSite, openSite } from "../support/world/browser-site.ts";
import { fastest, paintsBesideBare } from "./slow-phone.ts";

/** As in largest-paint.test.ts. Here the largest thing in view is mostly a picture. */
const times = 11;
const mostShift = 0.01;
/** Tweets with pictures, with others between them: more than are in view. */
const pictured = 4;

describe("pictures on a slow phone", () => {
  let site: BrowserSite;
  let four: TweetId;
  beforeAll(async () => {
    site = await openSite();
    await site.world.newcomer("writer");
    const viewer = await site.world.newcomer("viewer");
    await viewer.follow("writer");
    const { ctx } = site.world;
    const { id: user } = await getUserByName(ctx, "writer");
    const photos = await Promise.all([1600, 1200].map(photo));
    const bytes = photos[0] ?? Buffer.alloc(0);
    await changeAvatar(ctx, user, bytes);
    await changeHeader(ctx, user, bytes);
    for (let nth = 0; nth < pictured; nth += 1) {
      const count = nth % 2 === 0 ? 4 : 1;
      const ids = await Promise.all(
        Array.from({ length: count }, (_, one) =>
          addUpload(ctx, user, { bytes: photos[one % 2] ?? bytes, description: "Grass" }),
        ),
      );
      await awaitUploads(ctx, user, { ids, milliseconds: 60_000 });
      const tweet = await postTweet(ctx, user, { text: `Grass, seen ${nth} times`, pictures: ids });
      if (count === 4) four = tweet;
      await postTweet(ctx, user, { text: `Words between pictures, ${nth}` });
    }
    await site.world.delivered();
  });
  afterAll(() => site.close());

  it.each([
    ["home", "viewer", "/"],
    ["a profile with a header", "viewer", "/@writer"],
    ["a tweet with four pictures", "viewer", "/tweets/:id"],
    ["a profile with a header, signed out", undefined, "/@writer"],
    ["a tweet with four pictures, signed out", undefined, "/tweets/:id"],
  ] as const)(
    "on a slow phone the largest part of %s is painted not long after a bare page would be, and does not move",
    async (what, name, path) => {
      const values = { name, path: path.replace(":id", four), times };
      const { paints, bare } = await paintsBesideBare(site, values);
      const told = paints.map(({ largest, what: part }) => `${Math.round(largest)} ms (${part})`);
      process.stdout.write(
        `suzume: largest paint of ${what}: ${told.join(", ")}; a bare page ${Math.round(bare)} ms\n`,
      );
      expect(fastest(paints) / bare).toBeLessThan(times);
      for (const { shift } of paints) expect(shift).toBeLessThan(mostShift);
    },
  );
});

/** As many details as a photo of grass has: a flat picture would be a small file. */
async function photo(width: number): Promise<Buffer> {
  const height = (width * 3) / 4;
  const raw = { width: width / 2, height: height / 2, channels: 3 } as const;
  return await sharp(randomBytes(raw.width * raw.height * 3), { raw })
    .blur(3)
    .resize(width, height)
    .jpeg({ quality: 85 })
    .toBuffer();
}
