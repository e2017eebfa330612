import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import type { AuthorFilter } from "../../../src/domain/search/find-tweets.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { removeTweet, findTexts } from "./found-texts.ts";
import { deliverAll, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";
import { holds, someText, someWords } from "../../support/models/worded-texts.ts";

/** All that a test has written. */
interface Written {
  id: TweetId;
  author: UserId;
  text: string;
  deleted: boolean;
}

interface Asked {
  words: string[];
  from: UserId | undefined;
  whose: AuthorFilter;
}

const asked = fc.record({
  words: someWords,
  from: fc.option(fc.constantFrom(0, 1, 2), { nil: undefined }),
  whose: fc.constantFrom<AuthorFilter>(undefined, undefined, "mine", "following"),
});

function naive(
  written: Written[],
  { words, from, whose }: Asked,
  viewer: UserId,
  followee: UserId,
): string[] {
  return written
    .filter(({ deleted }) => !deleted)
    .filter(({ text }) => words.every((word) => holds(text, word)))
    .filter(({ author }) => from === undefined || author === from)
    .filter(({ author }) => whose !== "mine" || author === viewer)
    .filter(({ author }) => whose !== "following" || author === followee)
    .map(({ text }) => text)
    .toReversed();
}

describe("the search for tweets", () => {
  let world: World;
  let people: UserId[];
  let names: string[];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const namesOf = async (ids: UserId[]) =>
    await Promise.all(ids.map(async (id) => (await findUser(world.ctx, id))?.name ?? ""));

  const find = async (typed: string, viewer?: UserId, whose?: AuthorFilter) =>
    await findTexts(world.ctx, typed, viewer === undefined ? {} : { viewer, whose });

  function nameOf(id: UserId): string {
    return names[people.indexOf(id)] ?? "";
  }

  it("a search for tweets finds what a scan of all tweets finds, after deletions, repeats and late jobs", async () => {
    const one = fc.record({
      author: fc.nat(2),
      text: someText,
      fate: fc.constantFrom("kept", "kept", "kept", "deleted", "late", "twice", "deleted first"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { maxLength: 25 }),
        fc.array(asked, { minLength: 4, maxLength: 6 }),
        async (made, queries) => {
          await emptyRedis(world.ctx.redis);
          people = await newPeople(world.ctx, 3);
          names = await namesOf(people);
          const [viewer = "" as UserId, followee = "" as UserId] = people;
          await follow(world.ctx, { follower: viewer, followee });
          const written: Written[] = [];
          const late: TweetId[] = [];
          for (const { author: nth, text, fate } of made) {
            const author = people[nth] as UserId;
            const id = await postTweet(world.ctx, author, { text });
            const deleted = fate.startsWith("deleted");
            if (fate === "deleted first") await removeTweet(world.ctx, id);
            if (fate === "late") late.unshift(id);
            else await deliverAll(world.ctx, id);
            if (fate === "twice") await deliverAll(world.ctx, id);
            if (fate === "deleted") await removeTweet(world.ctx, id);
            written.push({ id, author, text, deleted });
          }
          for (const id of late) await deliverAll(world.ctx, id);
          for (const query of queries) {
            const from = query.from === undefined ? undefined : people[query.from];
            const typed = [...query.words, ...(from === undefined ? [] : [`from:${nameOf(from)}`])];
            const expected = naive(written, { ...query, from }, viewer, followee);
            expect([typed, await find(typed.join(" "), viewer, query.whose)]).toEqual([
              typed,
              expected,
            ]);
          }
        },
      ),
      runs(25),
    );
  });
});
