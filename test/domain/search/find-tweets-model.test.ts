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

const kana = /^[あ-んー雀鳩パン日本語]+$/;

/** The same for "cats" and "cat", "café" and "cafe". */
const plain = (word: string) => word.replace("é", "e").replace(/s$/, "");

/** What a text holds, told without any of the code under test: spaces stand between all its parts. */
function holds(text: string, word: string): boolean {
  const parts = text.split(" ");
  if (word.startsWith("#")) return parts.includes(word);
  const bare = parts.map((part) => part.replace(/^#/, ""));
  if (word.startsWith('"')) return ` ${bare.join(" ")} `.includes(` ${word.slice(1, -1)} `);
  return kana.test(word)
    ? bare.some((part) => part.includes(word))
    : bare.some((part) => plain(part) === plain(word));
}

const english = ["a", "cat", "cats", "sparrow", "bread", "café", "cafe"];
const japanese = [
  "雀の",
  "パン",
  "パンパン",
  "日本語",
  "本日",
  "雀の日本語パン",
  "語",
  "#日本",
  "#cat",
];
const texts = fc
  .array(fc.constantFrom(...english, ...japanese), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(" "));
const asked = fc.record({
  words: fc.uniqueArray(
    fc.constantFrom(
      ...english,
      "雀の",
      "パン",
      "ンパ",
      "日本",
      "本語",
      "日本語",
      "語パ",
      "語",
      "雀",
      '"cat"',
      '"a cat"',
      '"sparrow bread cats"',
      "#cat",
      "#日本",
    ),
    { minLength: 1, maxLength: 3 },
  ),
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
      text: texts,
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
