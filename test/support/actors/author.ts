import type { Ctx } from "../../../src/context.ts";
import { runWithoutDeadline } from "../../../src/domain/deadline.ts";
import { tweetId } from "../../../src/domain/ids.ts";
import { readingDeadline, recorded } from "../../../src/domain/scope.ts";
import { readTweets } from "../../../src/domain/tweets/store.ts";
import { holdRight } from "../../../src/domain/users/roles.ts";
import type { User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";

/** Does `work` as a request of this user. */
export async function asRequest<Result>(ctx: Ctx, user: User, work: () => Promise<Result>) {
  const deadline = { ...readingDeadline(), writes: true };
  return await recorded(
    undefined,
    async () => {
      holdRight(ctx, user, { holder: "device:this", isOpen: async () => true });
      return await work();
    },
    deadline,
  );
}

/** Does `work` as another request, in the middle of one: by its own right, and without the deadline of that one. */
export async function asAnotherRequest<Result>(work: () => Promise<Result>): Promise<Result> {
  return await new Promise((resolve) => runWithoutDeadline(() => resolve(work())));
}

export const newestTweet = async ({ redis }: Ctx) => tweetId((await redis.get(keys.tweetIds)) ?? 1);

/** Texts of a user's tweets, listed or not. */
export async function postedBy(ctx: Ctx, { id: user }: User): Promise<string[]> {
  const last = await newestTweet(ctx);
  const ids = Array.from({ length: Number(last) }, (_, nth) => tweetId(nth + 1));
  const tweets = await readTweets(ctx, ids);
  return tweets.flatMap((tweet) => (tweet?.author === user ? [tweet.text] : []));
}
