import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Chores, Ctx } from "../../../src/context.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { mute } from "../../../src/domain/actions/mute.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { endDuePolls, tellVoters, vote } from "../../../src/domain/actions/vote.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { muteConversation } from "../../../src/domain/notifications/muted-conversations.ts";
import { clearNotifications, notificationsAfter } from "../../../src/domain/notifications/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { withItsChores } from "../../support/world/promised-jobs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60;

describe("the end of a poll", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const ask = (author: UserId) =>
    postTweet(world.ctx, author, {
      text: "Which seeds?",
      poll: { choices: ["sunflower", "hemp"], seconds: hour },
    });

  it("author and voters are notified of the end, once", async () => {
    const { ctx } = world;
    const [author, voter, other] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const poll = await ask(author);
    await vote(ctx, voter, poll, [0]);
    const toldTo = async (user: UserId) =>
      (await notificationsAfter(ctx, user, 0)).filter(({ tweet }) => tweet === poll);
    await endDuePolls(ctx);
    expect(await toldTo(voter)).toEqual([]);
    world.pass(hour * 1000);
    const end = () => withItsChores(ctx, (working) => endDuePolls(working));
    await Promise.all([end(), end()]);
    const [told] = await toldTo(voter);
    expect(told).toMatchObject({ kind: "poll", actor: author });
    await ctx.redis.zadd(keys.endingPolls, 0, poll);
    world.pass(hour);
    await end();
    expect(await toldTo(voter)).toEqual([told]);
    expect(await toldTo(author)).toHaveLength(1);
    expect(await toldTo(other)).toEqual([]);
    expect(await ctx.redis.zscore(keys.endingPolls, poll)).toBeNull();
  });

  it("of many voters each is told of the end once, by workers that are killed as well", async () => {
    const { ctx } = world;
    const people = await newPeople(ctx, 1300);
    const [author, blocker, muter, deaf, cleared, ...others] = people as [
      UserId,
      UserId,
      UserId,
      UserId,
      UserId,
      ...UserId[],
    ];
    const poll = await ask(author);
    // As vote does, for so many voters.
    await Promise.all(
      people.slice(1).map((voter) => ctx.redis.setVote(keys.tweetVotes(poll), voter, "0")),
    );
    await block(ctx, { blocker, blocked: author });
    await mute(ctx, { muter, muted: author });
    await muteConversation(ctx, deaf, poll);
    world.pass(hour * 1000);
    const steps: Chores["tell-voters"][] = [];
    const chore: Ctx["jobs"]["chore"] = (_, data) =>
      Promise.resolve(void steps.push(data as Chores["tell-voters"]));
    const working = { ...ctx, jobs: { ...ctx.jobs, chore } };
    await endDuePolls(working);
    let writes = 0;
    const dying = Object.create(ctx.redis, {
      addApart: {
        value: (...args: Parameters<typeof ctx.redis.addApart>) =>
          ++writes > 200 ? Promise.reject(new Error("killed")) : ctx.redis.addApart(...args),
      },
    }) as typeof ctx.redis;
    let done = 0;
    for (; steps[done] !== undefined; done += 1) {
      const step = steps[done] as Chores["tell-voters"];
      writes = 0;
      await tellVoters({ ...working, redis: dying }, step).catch(() => {});
      await tellVoters(working, step);
      await tellVoters(working, step);
      // Each time it has promised the next step.
      steps.splice(done + 2);
    }
    expect(done).toBeGreaterThan(1);
    await clearNotifications(ctx, cleared);
    for (const step of steps.splice(0)) await tellVoters(working, step);
    const listsOf = async (users: UserId[]) =>
      await Promise.all(users.map((user) => ctx.redis.zrange(keys.notifications(user), 0, "-1")));
    expect(new Set((await listsOf(others)).map(String))).toEqual(
      new Set([`poll:${poll}:${author}`]),
    );
    expect((await listsOf([blocker, muter, deaf, cleared])).flat()).toEqual([]);
    expect(await listsOf([author])).toEqual([[`poll:${poll}:${author}`]]);
  });
});
