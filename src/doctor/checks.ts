import { appChecks } from "./apps.ts";
import type { Check } from "./exam.ts";
import { futureCheck } from "./future.ts";
import { generationCheck } from "./generations.ts";
import { homeCheck } from "./homes.ts";
import { importChecks } from "./imports.ts";
import { likeChecks } from "./likes.ts";
import { listedUsersCheck } from "./newest.ts";
import { nameCheck } from "./names.ts";
import { ownedCheck } from "./owned.ts";
import { edgeChecks } from "./people-edges.ts";
import { peopleIndexChecks } from "./people-index.ts";
import { reportChecks } from "./reports.ts";
import { retweetChecks } from "./retweets.ts";
import { sessionCheck } from "./sessions.ts";
import { tweetIndexChecks } from "./tweet-index.ts";
import { tweetListChecks } from "./tweet-lists.ts";
import { tweetCheck } from "./tweets.ts";
import { userCheck } from "./users.ts";

/** All checks of keys. */
export const checks: readonly Check[] = [
  userCheck,
  nameCheck,
  ownedCheck,
  listedUsersCheck,
  sessionCheck,
  generationCheck,
  ...appChecks,
  ...edgeChecks,
  tweetCheck,
  ...tweetListChecks,
  ...likeChecks,
  ...retweetChecks,
  homeCheck,
  ...tweetIndexChecks,
  ...peopleIndexChecks,
  ...reportChecks,
  ...importChecks,
  futureCheck,
];
