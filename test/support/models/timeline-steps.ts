import * as fc from "fast-check";

/** A step that changes home timelines. Users and tweets are given by number, modulo their count. */
export type Step =
  | { does: "post"; author: number; count: number; delivery: "whole" | "begun" | "promised" }
  | { does: "deliver" | "delete"; tweet: number }
  | { does: "reply"; author: number; tweet: number; delivery: "whole" | "begun" | "promised" }
  | { does: "retweet" | "unretweet" | "reconcileRetweet"; author: number; tweet: number }
  | { does: "follow" | "unfollow" | "settle"; follower: number; followee: number }
  | { does: "expire" | "return" | "look"; user: number };

export const crowd = 5;
const who = fc.integer({ min: 0, max: crowd - 1 });
const which = fc.nat({ max: 40 });

const edges = (does: "follow" | "unfollow" | "settle") =>
  fc.record({ does: fc.constant(does), follower: who, followee: who });
const visits = (does: "expire" | "return" | "look") =>
  fc.record({ does: fc.constant(does), user: who });
const reworks = (does: "deliver" | "delete") =>
  fc.record({ does: fc.constant(does), tweet: which });
const delivery = fc.constantFrom("whole" as const, "begun" as const, "promised" as const);
const posts = fc.record({
  does: fc.constant("post" as const),
  author: who,
  count: fc.integer({ min: 1, max: 7 }),
  delivery,
});
const replies = fc.record({
  does: fc.constant("reply" as const),
  author: who,
  tweet: which,
  delivery,
});
const retweets = fc.record({
  does: fc.constantFrom(
    ...(["retweet", "retweet", "retweet", "unretweet", "reconcileRetweet"] as const),
  ),
  author: who,
  tweet: which,
});

/** Steps that may run at the same time as others. */
const concurrent = [
  { weight: 6, arbitrary: posts },
  { weight: 6, arbitrary: replies },
  { weight: 6, arbitrary: retweets },
  { weight: 6, arbitrary: edges("follow") },
  { weight: 3, arbitrary: edges("unfollow") },
  { weight: 1, arbitrary: edges("settle") },
  { weight: 3, arbitrary: reworks("deliver") },
  { weight: 2, arbitrary: reworks("delete") },
  { weight: 2, arbitrary: visits("return") },
  { weight: 3, arbitrary: visits("look") },
];
/** A timeline expires weeks after its last read, so never during one. */
const lonely = { weight: 3, arbitrary: visits("expire") };

export const steps = fc.array(fc.oneof(...concurrent, lonely), { maxLength: 40 });
export const moments = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.oneof(...concurrent), { minLength: 2, maxLength: 6 }) },
    { weight: 1, arbitrary: visits("expire").map((step) => [step]) },
  ),
  { maxLength: 8 },
);
