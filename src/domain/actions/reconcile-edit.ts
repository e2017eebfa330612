import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { notify, retract } from "../notifications/store.ts";
import { indexedAs, indexTweet, unindexTweet } from "../search/index-tweet.ts";
import { audienceOf } from "../tweets/audience.ts";
import { listReply } from "../tweets/reactions.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** What has to follow a tweet that was edited. */
type EditWork = ReturnType<typeof workFor>;

/** What has to follow if `tweet` is replaced by `next`, which may not be known. */
export function workFor(tweet: Tweet, next: Tweet = tweet) {
  const { id, author, createdAt, mentions = [] } = tweet;
  return {
    tweet: id,
    author,
    /** Stamp of the edit. */
    at: next.editedAt ?? createdAt,
    /** Terms of the search that the tweet had before or after it. */
    terms: [...new Set([...indexedAs(tweet).terms, ...indexedAs(next).terms])],
    /** The users that it mentioned before. */
    called: mentions.map((one) => one.id),
  };
}

/** Edits that may come in between; each promises its own job. */
const triesAtMost = 5;

/**
 * The promised job: makes the lists, search, tags and notifications agree with the tweet as it is now, or with its deletion.
 * May run twice, late, and at the same time as itself: the last to write has looked at the tweet after writing.
 */
export async function reconcileEdit(ctx: Ctx, work: EditWork): Promise<void> {
  let current = await findTweet(ctx, work.tweet);
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    await reconcileLists(ctx, current);
    await reconcileSearch(ctx, work, current);
    await reconcileMentions(ctx, work, current);
    const again = await findTweet(ctx, work.tweet);
    if (again?.editedAt === current?.editedAt && (again === undefined) === (current === undefined))
      return;
    work = mergedWith(work, current);
    current = again;
  }
}

/** Takes a narrowed tweet out of the lists for everyone. */
async function reconcileLists(ctx: Ctx, tweet: Tweet | undefined): Promise<void> {
  if (tweet === undefined || audienceOf(tweet) === "public") return;
  await ctx.redis.zrem(keys.globalTimeline, tweet.id);
  await listReply(ctx, tweet);
}

async function reconcileSearch(ctx: Ctx, work: EditWork, version: Tweet | undefined) {
  const { tweet, author } = work;
  const current = new Set(version === undefined ? [] : indexedAs(version).terms);
  const terms = work.terms.filter((term) => !current.has(term));
  await unindexTweet(ctx, { tweet, author, terms });
  if (version !== undefined) await indexTweet(ctx, version);
}

/** Removes notifications of users who are no longer mentioned. The answered user keeps the one of the reply. */
async function reconcileMentions(ctx: Ctx, work: EditWork, version: Tweet | undefined) {
  const { tweet, author: actor, at: stamp, called } = work;
  const mentioned = (version?.mentions ?? []).map(({ id }) => id);
  const notice = (to: UserId) => ({ to, kind: "mention" as const, tweet, actor });
  await Promise.all([
    ...called.filter((id) => !mentioned.includes(id)).map((id) => retract(ctx, notice(id))),
    ...mentioned
      .filter((id) => !called.includes(id) && id !== version?.replyTo?.author)
      .map((id) => notify(ctx, { ...notice(id), stamp })),
  ]);
}

/** What was written for a version that is gone must be taken back as well. */
function mergedWith(work: EditWork, version: Tweet | undefined): EditWork {
  if (version === undefined) return work;
  const { terms, called } = workFor(version);
  return {
    ...work,
    terms: [...new Set([...work.terms, ...terms])],
    called: [...new Set([...work.called, ...called])],
  };
}
