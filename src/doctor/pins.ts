import { tweetId, type UserId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import type { Exam } from "./exam.ts";
import type { TweetFacts } from "./facts.ts";

/** A pinned tweet is the user's own. It may be gone: then nothing is shown. */
export async function checkPins(
  exam: Exam,
  accounts: readonly { id: UserId; pinned?: string | undefined }[],
): Promise<void> {
  const pinned = accounts.flatMap(({ id, pinned: tweet }) =>
    tweet === undefined ? [] : [{ id, tweet }],
  );
  const factsOf = await exam.facts.tweets(pinned.map(({ tweet }) => tweet));
  for (const { id, tweet } of pinned) {
    if (!isForeign(factsOf(tweet), id)) continue;
    const key = keys.user(id);
    exam.suspect({
      kind: "user-pinned",
      key,
      async look() {
        const [now] = await exam.facts.readTweets([tweetId(tweet)]);
        const isPinned = (await exam.ctx.redis.hget(key, "pinned")) === tweet;
        return isPinned && isForeign(now, id) ? `has pinned ${tweet}, by another` : undefined;
      },
      repair: "unpin it",
      mend: () => exam.ctx.redis.clearFields(key, "pinned", tweet),
    });
  }
}

function isForeign(facts: TweetFacts | undefined, user: string): boolean {
  return facts?.state === "alive" && (facts.author !== user || facts.retweetOf !== undefined);
}
