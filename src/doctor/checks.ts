import type { Check } from "./exam.ts";
import { likeChecks } from "./likes.ts";
import { edgeChecks } from "./people-edges.ts";
import { retweetChecks } from "./retweets.ts";
import { tweetListChecks } from "./tweet-lists.ts";
import { tweetCheck } from "./tweets.ts";

/** All that is looked at, key by key. */
export const checks: readonly Check[] = [
  ...edgeChecks,
  tweetCheck,
  ...tweetListChecks,
  ...likeChecks,
  ...retweetChecks,
];
