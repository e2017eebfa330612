import { unlistTweet } from "../domain/actions/delete-cleanup.ts";
import { tweetId } from "../domain/ids.ts";
import { recount } from "../domain/tweets/reactions.ts";
import { findRemains, findTweet } from "../domain/tweets/store.ts";
import { type Exam, keyCheck } from "./exam.ts";
import type { TweetFacts } from "./facts.ts";
import { type Item, type KeyName, rowOf } from "./items.ts";
import { jobsAbout } from "./jobs.ts";

/** Whether a tweet belongs to a list. `owner`: the id in the key. `other`: what follows the tweet's id in the member. */
type Belongs = (tweet: TweetFacts, owner: string, other: string | undefined) => boolean;

/** Lists of tweets, scored by their stamps. Home timelines have their own check. */
const belongs: Partial<Record<KeyName, Belongs>> = {
  userTimeline: ({ author }, owner) => author === owner,
  replies: ({ author, replyTo }, owner, to) => author === owner && replyTo?.author === to,
  answers: ({ author, replyTo }, owner, by) => author === by && replyTo?.author === owner,
  tweetReplies: ({ replyTo }, owner) => replyTo?.tweet === owner,
  globalTimeline: () => true,
  bigTimeline: ({ author }, _, by) => author === by,
};

/** Lists have only living tweets that belong there, with their stamps. */
export const tweetLists = keyCheck({
  of: Object.keys(belongs) as KeyName[],
  each: "member",
  async read(exam, members) {
    const factsOf = await exam.facts.tweets(members.map(idIn));
    const stateOf = await exam.facts.users(members.filter(isUsers).map(({ owner }) => owner));
    return members.map((member) => {
      const { name, owner, id } = member;
      const facts = factsOf(idIn(member));
      const [, other] = id.split(":");
      return {
        ...member,
        facts,
        isRight: facts?.alive === true && belongs[name]?.(facts, owner, other) === true,
        ownerState: isUsers(member) ? stateOf(owner) : undefined,
      };
    });
  },
  jobs: (entry) => [
    ...jobsAbout(idIn(entry), entry.facts),
    ...(isUsers(entry) ? [`erase ${entry.owner}`] : []),
  ],
  faults: {
    "listed-wrongly": {
      detail({ id, value, facts, isRight, ownerState }, exam) {
        if (exam.isYoung(value)) return undefined;
        // A job erases the owner, or the operator decides about them.
        if (ownerState === "leaving" || ownerState === "lost") return undefined;
        if (facts?.alive !== true) return `has ${id}, which is gone`;
        if (!isRight) return `has ${id}, which does not belong there`;
        if (facts.createdAt === Number(value)) return undefined;
        return `has ${id} at ${value}, though it is of ${facts.createdAt}`;
      },
      repair: "take it out, or set its stamp right",
      async mend(exam, { facts, isRight, ...entry }) {
        if (facts === undefined || !isRight) await takeOut(exam, entry);
        else await exam.ctx.redis.zadd(entry.key, "XX", facts.createdAt, entry.id);
      },
    },
  },
});

function idIn({ id }: Item): string {
  return id.split(":", 1)[0] ?? "";
}

/** Whether the list is a user's. */
function isUsers({ name }: Item): boolean {
  return name !== "tweetReplies" && rowOf(name).pattern.includes("<");
}

/** Removes a deleted tweet from all lists, as its deletion should have done. */
async function takeOut({ ctx }: Exam, entry: Item): Promise<void> {
  const tweet = tweetId(idIn(entry));
  const remains = await findRemains(ctx, tweet);
  if (remains !== undefined && (await findTweet(ctx, tweet)) === undefined)
    await unlistTweet(ctx, remains);
  await ctx.redis.zrem(entry.key, entry.id);
  if (entry.name === "tweetReplies") await recount(ctx, tweetId(entry.owner), "replies");
}
