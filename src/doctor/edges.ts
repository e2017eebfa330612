import type { Ctx } from "../context.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileFollow } from "../domain/actions/follow.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { type ListId, type UserId, tweetId, userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { keyCheck } from "./run.ts";

/** A relation from a user to another user or, for likes, to a tweet. */
interface EdgeKind {
  edge: "follow" | "block" | "like";
  /** The list that is the truth, and its mirror at the other end. */
  truth: "followings" | "blocks" | "likes";
  mirror: "followers" | "blockedBy" | "tweetLikes";
  reconcile(ctx: Ctx, from: UserId, to: string): Promise<void>;
}

export const follows = edgeCheck({
  edge: "follow",
  truth: "followings",
  mirror: "followers",
  reconcile: (ctx, follower, to) => reconcileFollow(ctx, { follower, followee: userId(to) }),
});

export const blocks = edgeCheck({
  edge: "block",
  truth: "blocks",
  mirror: "blockedBy",
  reconcile: (ctx, blocker, to) => reconcileBlock(ctx, { blocker, blocked: userId(to) }),
});

export const likes = edgeCheck({
  edge: "like",
  truth: "likes",
  mirror: "tweetLikes",
  reconcile: (ctx, user, to) => reconcileLike(ctx, { user, tweet: tweetId(to) }),
});

/** Both ends of each relation exist and agree, including the stamp. */
function edgeCheck({ edge: name, reconcile, ...is }: EdgeKind) {
  const toTweet = name === "like";
  return keyCheck({
    of: [is.truth, is.mirror],
    each: "member",
    async read(run, members) {
      const links = members.map((member) => {
        const { owner, id } = member;
        const [from, to] = member.name === is.truth ? [userId(owner), id] : [userId(id), owner];
        // Ids of users and of tweets have the same form.
        const mirror = (keys[is.mirror] as (to: string) => string)(to);
        return { ...member, from, to, truth: keys[is.truth](from), mirror };
      });
      const edges = await run.ask(links, ({ from, to, truth, mirror }) => ({
        since: ["zscore", truth, to],
        mirrored: ["zscore", mirror, from],
      }));
      const tos = edges.map(({ to }) => to);
      const factsOf = await run.facts.tweets(toTweet ? tos : []);
      const froms: string[] = edges.map(({ from }) => from);
      const stateOf = await run.facts.users(toTweet ? froms : [...froms, ...tos]);
      return edges.map((edge) => {
        const toState = factsOf(edge.to)?.alive === true ? "alive" : "gone";
        const ends = [stateOf(edge.from), toTweet ? toState : stateOf(edge.to)];
        // A job erases users who are leaving; the operator decides about lost ones.
        const isSettled = ends.every((state) => state === "alive" || state === "gone");
        const isYoung = run.isYoung(edge.since) || run.isYoung(edge.mirrored);
        return { ...edge, isSettled: isSettled && !isYoung, isGone: ends.includes("gone") };
      });
    },
    place: ({ truth: key, to: id }) => ({ key, id }),
    jobs: ({ from, to }) => [
      `reconcile-${name} ${from} ${to}`,
      `erase ${from}`,
      toTweet ? `reconcile-deletion ${to}` : `erase ${to}`,
    ],
    faults: {
      [`${name}-mirror`]: {
        detail({ from, to, truth, mirror, since, mirrored, isSettled, isGone }) {
          if (!isSettled || (since === null && mirrored === null)) return undefined;
          if (isGone) return `between ${from} and ${to}, one of which is gone`;
          if (since === mirrored) return undefined;
          if (since === null) return `${mirror} has ${from}, ${truth} has no ${to}`;
          if (mirrored === null) return `${truth} has ${to}, ${mirror} has no ${from}`;
          return `stamp ${since} of ${to}, ${mirrored} in ${mirror}`;
        },
        how: "make both ends agree with the truth",
        async repair({ ctx }, { from, to, truth, isGone }) {
          if (isGone) await ctx.redis.zrem(truth, to);
          await reconcile(ctx, from, to);
        },
      },
    },
  });
}

/** No follow exists beside a block. */
export const followsAcrossBlocks = keyCheck({
  of: ["blocks"],
  each: "member",
  read(run, members) {
    const pairs = members.map((member) => {
      const { owner, id } = member;
      return { ...member, blocker: userId(owner), blocked: userId(id) };
    });
    return run.ask(pairs, ({ blocker, blocked }) => ({
      there: ["zscore", keys.followings(blocker), blocked],
      back: ["zscore", keys.followings(blocked), blocker],
    }));
  },
  jobs: ({ blocker, blocked }) => [
    `reconcile-block ${blocker} ${blocked}`,
    `reconcile-follow ${blocker} ${blocked}`,
    `reconcile-follow ${blocked} ${blocker}`,
  ],
  faults: {
    "follow-across-block": {
      detail: ({ blocker, blocked, there, back }) =>
        (there ?? back) !== null &&
        `${blocker} blocks ${blocked}, yet one of the two follows the other`,
      how: "end the follow",
      repair: ({ ctx }, edge) => reconcileBlock(ctx, edge),
    },
  },
});

/** Options of follows: the follow exists. */
export const followOptions = keyCheck({
  of: ["withoutRetweets", "watchers"],
  each: "member",
  read(run, members) {
    const options = members.map((member) => {
      const { name, owner, id } = member;
      const [from, to] = name === "watchers" ? [id, owner] : [owner, id];
      return { ...member, follower: userId(from), followee: userId(to) };
    });
    return run.ask(options, ({ key, id, follower, followee }) => ({
      since: ["zscore", key, id],
      followed: ["zscore", keys.followings(follower), followee],
    }));
  },
  jobs: ({ follower, followee }) => [
    `reconcile-follow ${follower} ${followee}`,
    `erase ${follower}`,
    `erase ${followee}`,
  ],
  faults: {
    "follow-option": {
      detail({ follower, followee, since, followed }, run) {
        if (since === null || run.isYoung(since)) return undefined;
        return (
          followed === null && `is of a follow of ${followee} by ${follower}, which is not there`
        );
      },
      how: "take it out",
      repair: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});

/** Members are in a list that exists, and its owner follows them. */
export const listMembers = keyCheck({
  of: ["listMembers"],
  each: "member",
  read(run, members) {
    const entries = members.map((member) => {
      const [owner = "", list = ""] = member.parts;
      return { ...member, user: userId(owner), list: list as ListId };
    });
    return run.ask(entries, ({ key, id, user, list }) => ({
      since: ["zscore", key, id],
      stored: ["hget", keys.lists(user), list],
      followed: ["zscore", keys.followings(user), id],
    }));
  },
  jobs: ({ user, id }) => [`reconcile-follow ${user} ${id}`, `erase ${user}`, `erase ${id}`],
  faults: {
    "list-member": {
      detail({ id, user, since, stored, followed }, run) {
        if (since === null || run.isYoung(since)) return undefined;
        if (stored === null) return `is a member of a list that user ${user} does not have`;
        const mayBeThere = id === user || followed !== null;
        return !mayBeThere && `is in a list of user ${user}, who does not follow them`;
      },
      how: "take the member out",
      repair: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});
