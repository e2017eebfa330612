import { reconcileRequest } from "../domain/actions/follow-request.ts";
import { findRequest, isProtected } from "../domain/graph/follow-requests.ts";
import { isFollowing } from "../domain/graph/follows.ts";
import { isBlocked } from "../domain/graph/relations.ts";
import { userId } from "../domain/ids.ts";
import { eachKey } from "./run.ts";

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
