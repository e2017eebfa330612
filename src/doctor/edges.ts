import type { Ctx } from "../context.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileRequest, reconcileFollow } from "../domain/actions/follow.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { type ListId, type UserId, tweetId, userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import { findRequest, isProtected } from "../domain/graph/follow-requests.ts";
import { isFollowing } from "../domain/graph/follows.ts";
import { isBlocked } from "../domain/graph/relations.ts";
import { eachKey, takeOut } from "./run.ts";

/** A relation from a user to another user or, for likes, to a tweet. */
interface MirroredEdge {
  /** The list that is the truth, and its mirror at the other end. */
  truth: "followings" | "followRequests" | "blocks" | "likes";
  mirror: "followers" | "requested" | "blockedBy" | "tweetLikes";
  reconcile(ctx: Ctx, from: UserId, to: string): Promise<void>;
}

const edgeKinds: Record<"follow" | "request" | "block" | "like", MirroredEdge> = {
  follow: {
    truth: "followings",
    mirror: "followers",
    reconcile: (ctx, follower, to) => reconcileFollow(ctx, { follower, followee: userId(to) }),
  },
  request: {
    truth: "followRequests",
    mirror: "requested",
    reconcile: (ctx, followee, to) => reconcileRequest(ctx, { follower: userId(to), followee }),
  },
  block: {
    truth: "blocks",
    mirror: "blockedBy",
    reconcile: (ctx, blocker, to) => reconcileBlock(ctx, { blocker, blocked: userId(to) }),
  },
  like: {
    truth: "likes",
    mirror: "tweetLikes",
    reconcile: (ctx, user, to) => reconcileLike(ctx, { user, tweet: tweetId(to) }),
  },
};

/** Both ends of each relation exist and agree, including the stamp. */
export const edges = Object.entries(edgeKinds).map(([edge, { reconcile, ...is }]) =>
  eachKey({
    of: [is.truth, is.mirror],
    each: "member",
    read: async (run, member) => {
      const { redis } = run.ctx;
      const { owner, id } = member;
      const [from, to] = member.name === is.truth ? [userId(owner), id] : [userId(id), owner];
      const truth = keys[is.truth](from);
      // The cast: `to` is the id of a user or a tweet.
      const mirror = (keys[is.mirror] as (to: string) => string)(to);
      const [since, mirrored] = await Promise.all([
        redis.zscore(truth, to),
        redis.zscore(mirror, from),
      ]);
      // Skips leaving users (a job erases them) and lost ones (the operator decides).
      const states = [await run.facts.user(from)];
      if (edge !== "like") states.push(await run.facts.user(to));
      else if ((await run.facts.tweet(to))?.alive !== true) states.push("gone");
      const isSettled = states.every((state) => state === "alive" || state === "gone");
      if (!isSettled || run.isYoung(since) || run.isYoung(mirrored)) return undefined;
      const isGone = states.includes("gone");
      return { ...member, from, to, truth, mirror, since, mirrored, isGone };
    },
    place: ({ truth: key, to: id }) => ({ key, id }),
    jobs: ({ from, to }) => [
      `reconcile-${edge} ${from} ${to}`,
      ...(edge === "like" ? [`reconcile-deletion ${to}`] : []),
    ],
    faults: {
      [`${edge}-mirror`]: {
        detail({ from, to, truth, mirror, since, mirrored, isGone }) {
          if (since === null && mirrored === null) return undefined;
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
  }),
);

/** No follow exists beside a block. */
export const followsAcrossBlocks = eachKey({
  of: ["blocks"],
  each: "member",
  read: async (run, member) => {
    const { redis } = run.ctx;
    const [blocker, blocked] = [userId(member.owner), userId(member.id)];
    const follows = await Promise.all([
      redis.zscore(keys.followings(blocker), blocked),
      redis.zscore(keys.followings(blocked), blocker),
    ]);
    if ([member.value, ...follows].some((stamp) => run.isYoung(stamp))) return undefined;
    return { ...member, blocker, blocked, follows };
  },
  jobs: ({ blocker, blocked }) => [
    `reconcile-block ${blocker} ${blocked}`,
    `reconcile-follow ${blocker} ${blocked}`,
    `reconcile-follow ${blocked} ${blocker}`,
  ],
  faults: {
    "follow-across-block": {
      detail: ({ blocker, blocked, follows: [there, back] }) =>
        (there ?? back) !== null &&
        `${blocker} blocks ${blocked}, yet one of the two follows the other`,
      how: "end the follow",
      repair: ({ ctx }, edge) => reconcileBlock(ctx, edge),
    },
  },
});

/** An option exists only beside its follow. */
export const followOptions = eachKey({
  of: ["withoutRetweets", "watchers"],
  each: "member",
  read: async (run, member) => {
    const { name, owner, id, value } = member;
    const [follower, followee] = name === "watchers" ? [id, owner] : [owner, id];
    const followed = await run.ctx.redis.zscore(keys.followings(userId(follower)), followee);
    const isStray = followed === null && !run.isYoung(value);
    return isStray ? { ...member, follower, followee } : undefined;
  },
  jobs: ({ follower, followee }) => [`reconcile-follow ${follower} ${followee}`],
  faults: {
    "follow-option": {
      detail: ({ follower, followee }) =>
        `${follower} does not follow ${followee}, but has an option of that follow`,
      how: "take it out",
      repair: takeOut,
    },
  },
});

/** Members are in a list that exists, and its owner follows them, or is the member. */
export const listMembers = eachKey({
  of: ["listMembers"],
  each: "member",
  read: async (run, member) => {
    const { redis } = run.ctx;
    const { owner, parts, id, value } = member;
    const user = userId(owner);
    if (run.isYoung(value)) return undefined;
    const [stored, followed] = await Promise.all([
      redis.hget(keys.lists(user), parts[1] as ListId),
      redis.zscore(keys.followings(user), id),
    ]);
    return { ...member, hasList: stored !== null, mayBeThere: id === user || followed !== null };
  },
  jobs: ({ owner, id }) => [`reconcile-follow ${owner} ${id}`],
  faults: {
    "list-member": {
      detail({ owner, hasList, mayBeThere }) {
        if (!hasList) return `is a member of a list that user ${owner} does not have`;
        return !mayBeThere && `is in a list of user ${owner}, who does not follow them`;
      },
      how: "take the member out",
      repair: takeOut,
    },
  },
});

/** A request waits for a protected account, and there is neither a follow nor a block beside it. */
export const requests = eachKey({
  of: ["followRequests"],
  each: "member",
  read: async (run, member) => {
    const [followee, follower] = [userId(member.owner), userId(member.id)];
    const edge = { follower, followee };
    const [stamp, isClosed, since, blocked] = await Promise.all([
      findRequest(run.ctx, edge),
      isProtected(run.ctx, followee),
      isFollowing(run.ctx, edge),
      isBlocked(run.ctx, follower, followee),
    ]);
    if (stamp === undefined || run.isYoung(Math.abs(stamp)) || run.isYoung(since)) return undefined;
    return { ...member, edge, mayWait: stamp > 0 && isClosed && since === undefined && !blocked };
  },
  jobs: ({ edge: { follower, followee } }) => [
    `reconcile-request ${followee} ${follower}`,
    `accept-requests ${followee}`,
    `reconcile-follow ${follower} ${followee}`,
  ],
  faults: {
    request: {
      detail: ({ edge: { follower, followee }, mayWait }) =>
        !mayWait && `${follower} asks to follow ${followee}, but nothing is left to decide`,
      how: "accept it, or end it beside a follow or a block",
      repair: ({ ctx }, { edge }) => reconcileRequest(ctx, edge),
    },
  },
});
