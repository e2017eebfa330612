import { expect } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { FollowEdge } from "../../../src/domain/graph/follows.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { chooseAudiences } from "../../../src/domain/users/settings.ts";
import { readUser } from "../../../src/domain/users/store.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";

/** A context whose chores run when the test says so. */
export function withChores(real: Ctx) {
  const promised: (() => Promise<void>)[] = [];
  const chore: Ctx["jobs"]["chore"] = async (name, data) =>
    void promised.push(() => runChore(ctx, name, data));
  const ctx: Ctx = { ...real, jobs: { ...real.jobs, chore } };
  return {
    ctx,
    /** Also those that chores promise. */
    async runJobs(): Promise<void> {
      for (let job = promised.shift(); job !== undefined; job = promised.shift()) await job();
    },
  };
}

export async function newEdge(ctx: Ctx): Promise<FollowEdge> {
  const [follower, followee] = (await newPeople(ctx, 2)) as [UserId, UserId];
  return { follower, followee };
}

export async function protect(ctx: Ctx, { followee }: FollowEdge, isOn = true): Promise<void> {
  const user = await readUser(ctx, followee);
  if (user === undefined) throw new Error("no user");
  await chooseAudiences(ctx, user, { protected: isOn });
}

/** The follow and the request, each as its truth and its mirror, and the kinds of the notifications. */
export async function stateOf({ redis }: Ctx, { follower, followee }: FollowEdge) {
  const notices = await redis.zrange(keys.notifications(followee), 0, "-1");
  return {
    follow: [
      await redis.zscore(keys.followings(follower), followee),
      await redis.zscore(keys.followers(followee), follower),
    ],
    request: [
      await redis.zscore(keys.followRequests(followee), follower),
      await redis.zscore(keys.requested(follower), followee),
    ],
    notices: notices.map((notice) => notice.split(":")[0]),
  };
}

const both = [expect.any(String), expect.any(String)];
const none = [null, null];
export const stranger = { follow: none, request: none, notices: [] };
export const followed = { follow: both, request: none, notices: ["follow"] };
export const asking = { follow: none, request: both, notices: ["follow_request"] };
