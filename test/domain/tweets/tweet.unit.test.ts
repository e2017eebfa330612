import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tweetId, type UploadId, userId } from "../../../src/domain/ids.ts";
import {
  serializeEdited,
  serializeTweet,
  toTweet,
  type Tweet,
  tweetFields,
} from "../../../src/domain/tweets/tweet.ts";
import { audiences, replyRights } from "../../../src/domain/users/choices.ts";
import { runs } from "../../support/models/property-runs.ts";

const ids = fc.integer({ min: 1, max: 1e9 }).map(String);
const ref = fc.record({ tweet: ids.map(tweetId), author: ids.map(userId) });
const text = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(...tweetFields));
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const file = { file: "1-aa-bb.webp", width: 3, height: 2, bytes: 10 };
const look = { small: file, large: file, blur: "UklGRg==", hash: "L0" };
const pictures = fc.array(
  fc.record({ id: ids.map((id) => id as UploadId), description: text }).map((about) => ({
    ...about,
    ...look,
  })),
  { maxLength: 4 },
);
const tweets: fc.Arbitrary<Tweet> = fc.record({
  id: ids.map(tweetId),
  author: ids.map(userId),
  text: fc.oneof(text, fc.constant("")),
  createdAt: fc.integer({ min: 1, max: 2 ** 52 }),
  warning: some(text),
  language: some(fc.constantFrom("de", "ja")),
  replyTo: some(ref),
  retweetOf: some(ref),
  quoteOf: some(ref),
  audience: fc.constantFrom(...audiences),
  repliesFrom: fc.constantFrom(...replyRights),
  limitsOf: some(fc.array(ids.map(tweetId), { minLength: 1, maxLength: 10 })),
  mentions: fc.array(
    fc.record({ id: ids.map(userId), name: fc.stringMatching(/^[a-z0-9_]{1,15}$/) }),
  ),
  pictures,
  sensitive: fc.boolean(),
  editedAt: some(fc.integer({ min: 1, max: 2 ** 52 })),
  formerPictures: pictures,
});

/** The hash after a write of these fields and values. */
function write(hash: Map<string, string>, pairs: readonly (string | number)[]) {
  for (let at = 0; at < pairs.length; at += 2) {
    const [field, value] = [String(pairs[at]), String(pairs[at + 1])];
    if (value === "" && field !== "text") hash.delete(field);
    else hash.set(field, value);
  }
  return hash;
}

const read = (tweet: Tweet, hash: Map<string, string>) =>
  toTweet(
    tweet.id,
    tweetFields.map((field) => hash.get(field) ?? null),
  );

describe("tweets as hashes", () => {
  it("a tweet is read as it was written", () => {
    fc.assert(
      fc.property(tweets, (tweet) => {
        const pairs = serializeTweet(tweet);
        expect(read(tweet, write(new Map(), pairs))).toEqual(tweet);
      }),
      runs(300),
    );
  });

  it("an edited tweet is read as the edit left it", () => {
    fc.assert(
      fc.property(tweets, tweets, (before, next) => {
        const hash = write(new Map(), serializeTweet(before));
        const { id, author, createdAt, replyTo, retweetOf, limitsOf } = before;
        const kept = { id, author, createdAt, replyTo, retweetOf, limitsOf };
        const edited = { ...next, editedAt: next.editedAt ?? 1, ...kept };
        expect(read(before, write(hash, serializeEdited(edited)))).toEqual(edited);
      }),
      runs(300),
    );
  });
});
