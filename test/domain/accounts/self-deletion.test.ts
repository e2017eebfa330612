import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  chooseSelfDeletion,
  exceptions,
  findOldTweets,
  previewSelfDeletion,
  type SelfDeletion,
} from "../../../src/domain/accounts/self-deletion.ts";
import { bookmarkTweet } from "../../../src/domain/actions/bookmark.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { pinTweet } from "../../../src/domain/actions/pin-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { readTweets } from "../../../src/domain/tweets/store.ts";
import { newPerson } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { withItsChores } from "../../support/world/promised-jobs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60 * 1000;
const ages = [7, 30, 365];

interface Written {
  hours: number;
  kept: "pinned" | "bookmarked" | "liked" | "message" | undefined;
}

/** Tweets around the ages that matter. */
const written: fc.Arbitrary<Written> = fc.record({
  hours: fc
    .tuple(fc.constantFrom(0, ...ages), fc.constantFrom(-20, -1, 1, 20))
    .map(([days, more]) => Math.max(0, days * 24 + more)),
  kept: fc.constantFrom(...exceptions, "message" as const, undefined),
});

describe("old tweets", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function write(author: UserId, { hours, kept }: Written): Promise<TweetId> {
    const { ctx } = world;
    const then = { ...ctx, now: () => ctx.now() - hours * hour };
    const audience = kept === "message" ? "mentioned" : "public";
    const id = await postTweet(then, author, { text: `${hours} ${kept}`, audience });
    if (kept === "pinned") await pinTweet(ctx, author, id);
    if (kept === "bookmarked") await bookmarkTweet(ctx, author, id);
    if (kept === "liked") await likeTweet(ctx, author, id);
    return id;
  }

  /** What the preview says, and what goes then. */
  async function compare(
    tweets: readonly Written[],
    choice: SelfDeletion | undefined,
    bound: number,
  ) {
    const { ctx } = world;
    ctx.config.tweetDays = bound;
    const author = await newPerson(ctx);
    const ids: TweetId[] = [];
    for (const one of tweets) ids.push(await write(author, one));
    const before = await readTweets(ctx, ids);
    const preview = await previewSelfDeletion(ctx, author, choice);
    await withItsChores(ctx, async (working) => {
      await chooseSelfDeletion(working, author, choice);
      await findOldTweets(working, () => {});
    });
    const after = await readTweets(ctx, ids);
    ctx.config.tweetDays = 0;
    const gone = before.flatMap((tweet, nth) =>
      tweet !== undefined && after[nth] === undefined ? [tweet] : [],
    );
    const [newest] = gone.toSorted((one, other) => other.createdAt - one.createdAt);
    return { preview, gone: { count: gone.length, newest, isCut: false } };
  }

  it("what the preview says is what goes, for every choice and bound", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { minLength: 1, maxLength: 12 }),
        fc.option(
          fc.record({ days: fc.constantFrom(...ages), keeps: fc.subarray([...exceptions]) }),
          { nil: undefined },
        ),
        fc.constantFrom(0, ...ages),
        async (tweets, choice, bound) => {
          const { preview, gone } = await compare(tweets, choice, bound);
          expect(preview).toEqual(gone);
        },
      ),
      runs(150),
    );
  });

  it("tweets go on being deleted if saving the choice again ends at any command", async () => {
    const { ctx } = world;
    for (let commands = 0; commands < 6; commands += 1) {
      const author = await newPerson(ctx);
      const choice: SelfDeletion = { days: 30, keeps: [] };
      await chooseSelfDeletion(ctx, author, choice);
      world.pass(1);
      await untilEnded(chooseSelfDeletion(endingAfter(ctx, commands), author, choice));
      const id = await write(author, { hours: 31 * 24, kept: undefined });
      await withItsChores(ctx, (working) => findOldTweets(working, () => {}));
      expect([commands, ...(await readTweets(ctx, [id]))]).toEqual([commands, undefined]);
    }
  });

  it("the host's bound spares what it says, whatever the author does not keep after longer", async () => {
    const tweets = exceptions.map((kept) => ({ hours: 40 * 24, kept }));
    const { preview, gone } = await compare(tweets, { days: 365, keeps: [] }, 30);
    expect([preview.count, gone.count]).toEqual([0, 0]);
  });

  it("a host's bound is in the preview of an author who keeps all", async () => {
    const tweets = [{ hours: 40 * 24, kept: undefined }];
    const { preview, gone } = await compare(tweets, undefined, 30);
    expect([preview.count, gone.count]).toEqual([1, 1]);
  });
});
