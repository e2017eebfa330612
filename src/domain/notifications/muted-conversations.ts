import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { getKnown } from "../feeds/sight.ts";
import type { Viewer } from "../graph/relations.ts";
import { type Stamp, type TweetId, type UserId, stampAt } from "../ids.ts";
import { membersOf, readerOf } from "../members.ts";
import { recallEvenDeleted, recallTweetsById } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** Max tweets above a tweet that are looked at; each level is a round trip. */
const levels = 100;

const mutedAmong = membersOf("zset", keys.mutedConversations);

const countMuted = readerOf<UserId, number>({
  key: keys.mutedConversations,
  command: ["zcard"],
  parse: Number,
});

/**
 * Mutes the conversation of a tweet: from then on no tweet in it, and no like or retweet of one, notifies the user.
 * The topmost tweet that is found is its mark, and the tweet itself if that is far above; tweets far below become more:
 * all with one stamp. May run twice. Throws NotFound.
 */
export async function muteConversation(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const path = await pathUp(ctx, await getKnown(ctx, user, id));
  const top = path.at(-1) ?? id;
  const [stamp = stampAt(ctx.now(), top)] = await stampsOf(ctx, user, path);
  const marked = path.length > levels / 2 ? [id, top] : [top];
  const key = keys.mutedConversations(user);
  await ctx.redis.addAnyway(key, "NX", ...marked.flatMap((one) => [stamp, one]));
  await ctx.redis.zremrangebyrank(key, 0, -mostOf("mutedConversations") - 1);
}

/** Does nothing for a conversation that is not muted. Throws NotFound. */
export async function unmuteConversation(ctx: Ctx, user: UserId, id: TweetId): Promise<void> {
  const path = await pathUp(ctx, await getKnown(ctx, user, id));
  const key = keys.mutedConversations(user);
  const stamps = await stampsOf(ctx, user, path);
  // Marks further down, and in other branches, have the stamp of those above.
  await execEach(ctx.redis, stamps, (stamp) => ["zremrangebyscore", key, stamp, stamp]);
}

/** The stamps of the marks among tweets, in their order. */
async function stampsOf(ctx: Ctx, user: UserId, ids: readonly TweetId[]): Promise<Stamp[]> {
  const scores = await ctx.redis.zmscore(keys.mutedConversations(user), ...ids);
  return [...new Set(scores.flatMap((score) => (score === null ? [] : Number(score))))];
}

/** Tells which of the tweets are in conversations that the viewer has muted. */
export async function mutedConversations(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: readonly Tweet[],
): Promise<(id: TweetId) => boolean> {
  if (viewer === undefined || tweets.length === 0) return () => false;
  if ((await countMuted(ctx, viewer.id)) === 0) return () => false;
  const paths = await pathsUp(ctx, tweets);
  const muted = await mutedAmong(ctx, viewer.id, [...paths.values()].flat());
  return (id) => paths.get(id)?.some((one) => muted.has(one)) === true;
}

/** The same for one tweet, which may be gone. */
export async function isInMutedConversation(ctx: Ctx, user: UserId, id: TweetId): Promise<boolean> {
  return (await countMuted(ctx, user)) > 0 && (await mutersAmong(ctx, [user], id)).has(user);
}

/**
 * Those of the users who have muted the conversation of a tweet, which may be gone. Asks Redis about each at this moment.
 * Marks one more tweet for those whose nearest mark is far above.
 */
export async function mutersAmong(ctx: Ctx, users: readonly UserId[], id: TweetId) {
  const tweet = (await recallTweetsById(ctx, [id])).get(id);
  if (tweet === undefined) return new Set();
  const path = await pathUp(ctx, tweet);
  const lists = users.map(keys.mutedConversations);
  const scores = await execEach(ctx.redis, lists, (list) => ["zmscore", list, ...path]);
  const muters = users.flatMap((user, nth) => {
    const marks = scores[nth] as (string | null)[];
    const above = marks.findIndex((one) => one !== null);
    return above < 0 ? [] : { user, above, stamp: Number(marks[above]) };
  });
  // Marks halfway up: one serves all answers below it. They take half of the room, and push no other mutes out.
  const distant = muters.filter(({ above }) => above > levels / 2);
  const room = mostOf("mutedConversations") / 2;
  await Promise.all(
    distant.map(({ user, above, stamp }) => {
      const [mark, further] = [path[above] ?? id, path[above - levels / 2] ?? id];
      return ctx.redis.addBeside(keys.mutedConversations(user), mark, stamp, further, room);
    }),
  );
  return new Set(muters.map(({ user }) => user));
}

async function pathUp(ctx: Ctx, tweet: Tweet): Promise<TweetId[]> {
  return (await pathsUp(ctx, [tweet])).get(tweet.id) ?? [tweet.id];
}

/** For each tweet: itself, the tweet that it answers, and so on. */
async function pathsUp(ctx: Ctx, tweets: readonly Tweet[]): Promise<Map<TweetId, TweetId[]>> {
  const paths = new Map(tweets.map(({ id }) => [id, [id]]));
  let open = tweets.map(({ id, replyTo }) => ({ id, above: replyTo?.tweet }));
  for (let level = 0; level < levels; level += 1) {
    const answered = open.flatMap(({ id, above }) => (above === undefined ? [] : { id, above }));
    if (answered.length === 0) break;
    for (const { id, above } of answered) paths.get(id)?.push(above);
    const answeredIds = answered.map(({ above }) => above);
    const tweetOf = await recallEvenDeleted(ctx, answeredIds);
    open = answered.map(({ id, above }) => ({ id, above: tweetOf.get(above)?.replyTo?.tweet }));
  }
  return paths;
}
