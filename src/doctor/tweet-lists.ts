import { type TweetId, tweetId, userId } from "../domain/ids.ts";
import { recount } from "../domain/tweets/reactions.ts";
import { findRemains, findTweet } from "../domain/tweets/store.ts";
import { unlistTweet } from "../domain/actions/delete-cleanup.ts";
import type { Check, Exam } from "./exam.ts";
import type { TweetFacts } from "./facts.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";
import { type Member, membersOf, type shapes, stampOf } from "./lists.ts";
import { jobsAbout } from "./pending.ts";

/** A list of tweets, scored by their stamps. */
interface TweetList {
  of: KeyName;
  shape: keyof typeof shapes;
  /** Whether a tweet belongs there: `owner` is the id in the key, `rest` follows the tweet's id in the member. */
  belongs(tweet: TweetFacts, owner: string, rest: string[]): boolean;
}

const lists: TweetList[] = [
  { of: "userTimeline", shape: "id", belongs: ({ author }, owner) => author === owner },
  {
    of: "replies",
    shape: "pair",
    belongs: ({ author, replyTo }, owner, [to]) => author === owner && replyTo?.author === to,
  },
  {
    of: "answers",
    shape: "pair",
    belongs: ({ author, replyTo }, owner, [by]) => author === by && replyTo?.author === owner,
  },
  { of: "tweetReplies", shape: "id", belongs: ({ replyTo }, owner) => replyTo?.tweet === owner },
  { of: "globalTimeline", shape: "id", belongs: () => true },
  { of: "bigTimeline", shape: "pairOrMore", belongs: ({ author }, _, [by]) => author === by },
];

/** Lists have only living tweets that belong there, with their stamps. Home timelines have their own check. */
export const tweetListChecks: Check[] = lists.map((list) => ({
  of: [list.of],
  async look(exam, found) {
    for await (const batch of membersOf(exam, found, list.shape)) {
      const factsOf = await exam.facts.tweets(batch.map(idOf));
      for (const member of batch) {
        const id = idOf(member);
        exam.maxIds.sawTweet(id);
        const fault = faultOf(list, member, stampOf(member), factsOf(id));
        if (fault !== undefined && !exam.isYoung(stampOf(member)))
          suspectMember(exam, list, member, factsOf(id));
      }
    }
  },
}));

function idOf({ id }: Member): string {
  return id.split(":", 1)[0] ?? "";
}

function faultOf(
  { belongs }: TweetList,
  { of, id: member }: { of: FoundKey; id: string },
  stamp: number,
  facts: TweetFacts | undefined,
): "gone" | "foreign" | "stamp" | undefined {
  const [id, ...rest] = member.split(":");
  if (facts?.state !== "alive") return "gone";
  if (!belongs(facts, of.parts[0] ?? "", rest)) return "foreign";
  return facts.createdAt === stamp || id === undefined ? undefined : "stamp";
}

function suspectMember(
  exam: Exam,
  list: TweetList,
  member: Member,
  facts: TweetFacts | undefined,
): void {
  const { of, id: spelled } = member;
  const { redis } = exam.ctx;
  const id = tweetId(idOf(member));
  const read = async () => {
    const [stamp, [now]] = await Promise.all([
      redis.zscore(of.key, spelled),
      exam.facts.readTweets([id]),
    ]);
    const fault = stamp === null ? undefined : faultOf(list, member, Number(stamp), now);
    return { fault, createdAt: now?.createdAt ?? 0, stamp };
  };
  exam.suspect({
    kind: "listed-wrongly",
    key: of.key,
    member: spelled,
    jobs: [...jobsAbout(id, facts), ...ownerJobs(of)],
    async look() {
      const { fault, createdAt, stamp } = await read();
      if (fault === undefined || (await isForOthers(exam, of))) return undefined;
      if (fault === "gone") return `has ${spelled}, which is gone`;
      if (fault === "foreign") return `has ${spelled}, which does not belong there`;
      return `has ${spelled} at ${stamp}, though it is of ${createdAt}`;
    },
    repair: "take it out, or set its stamp right",
    async mend() {
      const { fault, createdAt } = await read();
      if (fault === "stamp") await redis.zadd(of.key, "XX", createdAt, spelled);
      else if (fault !== undefined) await takeOut(exam, of, spelled, id);
    },
  });
}

function ownerJobs({ name, parts }: FoundKey): string[] {
  return name === "tweetReplies" || parts[0] === undefined ? [] : [`erase ${parts[0]}`];
}

/** Whether the owner is being erased by a job, or needs a decision of the operator. */
async function isForOthers(exam: Exam, { name, parts }: FoundKey): Promise<boolean> {
  if (name === "tweetReplies" || parts[0] === undefined) return false;
  const [state] = await exam.facts.readUsers([userId(parts[0])]);
  return state === "leaving" || state === "lost";
}

/** Removes a deleted tweet from all lists, as its deletion should have done. */
async function takeOut(exam: Exam, { key, name, parts }: FoundKey, member: string, id: TweetId) {
  const { ctx } = exam;
  const remains = await findRemains(ctx, id);
  if (remains !== undefined && (await findTweet(ctx, id)) === undefined)
    await unlistTweet(ctx, remains);
  await ctx.redis.zrem(key, member);
  if (name === "tweetReplies") await recount(ctx, tweetId(parts[0] ?? ""), "replies");
}
