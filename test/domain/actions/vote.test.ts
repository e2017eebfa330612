import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eraseRest } from "../../../src/domain/accounts/erase.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { vote } from "../../../src/domain/actions/vote.ts";
import { Blocked, Invalid, NotFound } from "../../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { type NewPoll, readTallies } from "../../../src/domain/tweets/poll.ts";
import { findTweet, getTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const hour = 60 * 60;
const seeds: NewPoll = { choices: ["sunflower", "hemp", "millet"], seconds: hour, several: true };

describe("votes", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const ask = (author: UserId, poll: Partial<NewPoll> = {}) =>
    postTweet(world.ctx, author, { text: "Which seeds?", poll: { ...seeds, ...poll } });

  async function tallyOf(id: TweetId, viewer?: UserId) {
    const { ctx } = world;
    const tallies = await readTallies(ctx, viewer && { id: viewer }, [await getTweet(ctx, id)]);
    return tallies.get(id);
  }

  it("of many votes at once and again, each voter counts once", { timeout: 120_000 }, async () => {
    const { ctx } = world;
    const [author, ...voters] = await newPeople(ctx, 9);
    const one = fc.record({
      voter: fc.nat(7),
      choices: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
      times: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 30 }), async (votes) => {
        const poll = await ask(author as UserId);
        const sent = votes.flatMap((each) => Array.from({ length: each.times }, () => each));
        const answers = await Promise.allSettled(
          sent.map(({ voter, choices }) => vote(ctx, voters[voter] as UserId, poll, choices)),
        );
        const tally = await tallyOf(poll);
        const named = new Set(votes.map(({ voter }) => voter));
        expect(tally?.voters).toBe(named.size);
        const counted = [0, 0, 0];
        for (const voter of named) {
          const { own = [] } = (await tallyOf(poll, voters[voter])) ?? {};
          for (const choice of own) counted[choice] = (counted[choice] ?? 0) + 1;
          // Whoever was told that the vote counts finds it.
          const accepted = sent.filter(
            (each, nth) => each.voter === voter && answers[nth]?.status === "fulfilled",
          );
          for (const { choices } of accepted)
            expect([...own]).toEqual(choices.toSorted((a, b) => a - b));
        }
        expect(tally?.counts).toEqual(counted);
      }),
      runs(100),
    );
  });

  it("a vote is refused by the author, twice, for no choice, for too many and after the end", async () => {
    const { ctx } = world;
    const [author, voter] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const poll = await ask(author, { several: false });
    const refuse = async (user: UserId, choices: number[], problem: string) =>
      await expect(vote(ctx, user, poll, choices)).rejects.toThrow(
        expect.objectContaining({ problems: { form: problem } }) as Invalid,
      );
    await refuse(author, [0], "poll.own");
    await refuse(voter, [], "poll.choice");
    await refuse(voter, [0, 1], "poll.choice");
    await refuse(voter, [3], "poll.choice");
    await refuse(voter, [Number.NaN], "poll.choice");
    await vote(ctx, voter, poll, [1]);
    await vote(ctx, voter, poll, [1]);
    await refuse(voter, [2], "poll.voted");
    world.pass(hour * 1000);
    await refuse(voter, [2], "poll.over");
    expect(await tallyOf(poll, voter)).toEqual({ counts: [0, 1, 0], voters: 1, own: [1] });
    const plain = await postTweet(ctx, author, { text: "no poll" });
    await expect(vote(ctx, voter, plain, [0])).rejects.toThrow(Invalid);
  });

  it("who may not see a tweet does not vote in it; a retweet leads to its original", async () => {
    const { ctx } = world;
    const [author, voter, blocked] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const hidden = await postTweet(ctx, author, {
      text: "for followers",
      audience: "followers",
      poll: seeds,
    });
    await expect(vote(ctx, voter, hidden, [0])).rejects.toThrow(NotFound);
    const poll = await ask(author);
    await block(ctx, { blocker: author, blocked });
    await expect(vote(ctx, blocked, poll, [0])).rejects.toThrow(Blocked);
    const repeated = await retweet(ctx, voter, poll);
    await vote(ctx, voter, repeated as TweetId, [2, 0]);
    expect(await tallyOf(poll, voter)).toMatchObject({ voters: 1, own: [0, 2] });
  });

  it("a vote goes with its account, and all votes with their tweet", async () => {
    const { ctx } = world;
    const [author, leaving, staying] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const poll = await ask(author);
    await vote(ctx, leaving, poll, [0, 1]);
    await vote(ctx, staying, poll, [1]);
    await eraseRest(ctx, leaving);
    expect(await tallyOf(poll, leaving)).toEqual({ counts: [0, 1, 0], voters: 1, own: undefined });
    await deleteTweet(ctx, author, poll);
    expect(await ctx.redis.exists(keys.tweetVotes(poll))).toBe(0);
    expect(await ctx.redis.zcard(keys.votes(staying))).toBe(0);
    expect(await findTweet(ctx, poll)).toBeUndefined();
    expect(JSON.stringify(await ctx.redis.hgetall(keys.tweet(poll)))).not.toContain("sunflower");
  });

  it("an edit leaves the poll as it is, and adds no pictures", async () => {
    const { ctx } = world;
    const [author] = (await newPeople(ctx, 1)) as [UserId];
    const poll = await ask(author);
    const { poll: before } = await getTweet(ctx, poll);
    await editTweet(ctx, author, poll, {
      text: "Which seeds, then?",
      pictures: [],
      sensitive: false,
    });
    const after = await getTweet(ctx, poll);
    expect(after).toMatchObject({ text: "Which seeds, then?", poll: before });
    expect((await getViewer(ctx, author)).id).toBe(author);
  });

  it.each<[string, Partial<NewPoll>]>([
    ["poll.few", { choices: ["one", " \n"] }],
    ["poll.same", { choices: ["One", " one "] }],
    ["poll.many", { choices: ["1", "2", "3", "4", "5"] }],
    ["poll.long", { choices: ["a", "b".repeat(51)] }],
    ["poll.time", { seconds: 299 }],
    ["poll.time", { seconds: 604_801 }],
    ["poll.time", { seconds: 300.5 }],
    ["poll.time", { seconds: Number.NaN }],
  ])("a poll is refused: %s", async (problem, poll) => {
    const [author] = (await newPeople(world.ctx, 1)) as [UserId];
    await expect(ask(author, poll)).rejects.toThrow(
      expect.objectContaining({ problems: { poll: problem } }) as Invalid,
    );
    await expect(ask(author, { choices: ["👨‍👩‍👧".repeat(50), "か゛"] })).resolves.toBeDefined();
  });
});
