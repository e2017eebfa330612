import * as fc from "fast-check";

/** How far a tweet is delivered at this step. */
export type Delivery = "whole" | "begun" | "promised";

/** A step in one of two processes. Users and tweets are given by number, modulo their count. */
export type Happening =
  | { does: "post"; author: number; count: number; delivery: Delivery }
  | { does: "reply" | "retweet" | "unretweet"; author: number; tweet: number; delivery: Delivery }
  | { does: "deliver" | "spread" | "delete" | "flood"; tweet: number }
  | { does: "grow" | "shrink"; author: number }
  | { does: "follow" | "unfollow"; reader: number; author: number }
  | { does: "expire" | "return" | "rebuild" | "look"; reader: number };
export type BigStep = Happening & { there: boolean };

export const authorCount = 2;
export const readerCount = 3;
/** Extra followers, enough to make any account big. */
export const extraCount = 4;

const authors = fc.nat({ max: authorCount - 1 });
const anybody = fc.oneof(
  { weight: 3, arbitrary: authors },
  { weight: 1, arbitrary: fc.nat({ max: authorCount + readerCount - 1 }) },
);
const readers = fc.nat({ max: readerCount - 1 });
const elsewhere = fc.boolean();
const tweets = (...does: ("deliver" | "spread" | "delete" | "flood")[]) =>
  fc.record({ does: fc.constantFrom(...does), tweet: fc.nat({ max: 60 }), there: elsewhere });
const deliveries = fc.constantFrom<Delivery[]>("whole", "begun", "promised");

const steps = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant("post" as const),
      author: anybody,
      count: fc.integer({ min: 1, max: 9 }),
      delivery: deliveries,
      there: elsewhere,
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom("reply" as const, "retweet" as const, "unretweet" as const),
      author: anybody,
      tweet: fc.nat({ max: 60 }),
      delivery: deliveries,
      there: elsewhere,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom("grow" as const, "shrink" as const),
      author: authors,
      there: elsewhere,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom("follow" as const, "follow" as const, "unfollow" as const),
      reader: readers,
      author: anybody,
      there: elsewhere,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom("expire", "return", "rebuild", "look", "look"),
      reader: readers,
      there: elsewhere,
    }),
  },
  { weight: 5, arbitrary: tweets("deliver", "spread", "delete") },
  { weight: 1, arbitrary: tweets("flood") },
);
export const bigSteps: fc.Arbitrary<BigStep[]> = fc.array(steps, {
  maxLength: 40,
  size: "max",
});
