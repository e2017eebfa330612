import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Forbidden, Invalid, NotFound } from "../../../src/domain/errors.ts";
import { tweetId, userId, type UserId } from "../../../src/domain/ids.ts";
import { auditPage, type Decision, type Subject } from "../../../src/domain/moderation/audit.ts";
import {
  dismissReports,
  reinstatePerson,
  removeReported,
  suspendReported,
} from "../../../src/domain/moderation/moderate.ts";
import { hasOpenReports, keepReport } from "../../../src/domain/moderation/store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { findUser } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";

const person = (id: UserId): Subject => ({ kind: "person", person: id });

describe("a decision", () => {
  let world: World;
  let admin: UserId;
  let author: UserId;
  let reporter: UserId;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await emptyRedis(world.ctx.redis);
    admin = await createUser(world.ctx, { name: "Boss", fullname: "Boss", pass: "none" });
    [author, reporter] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });

  const decision = (nonce = "a-form", note = ""): Decision => ({ by: admin, nonce, note });
  const report = (subject: Subject) =>
    keepReport(world.ctx, subject, { reporter, reason: "spam", comment: "", stamp: 1000 });
  const log = async () =>
    (await auditPage(world.ctx, { before: undefined, limit: 50 })).items.map(
      ({ by, verb, subject, note }) => ({ by, verb, subject, note }),
    );
  const isSuspended = async (id: UserId) => (await findUser(world.ctx, id))?.suspended;
  it("dismissing closes open reports, and does nothing to others", async () => {
    await dismissReports(world.ctx, decision(), person(author));
    expect(await log()).toEqual([]);
    await report(person(author));
    await dismissReports(world.ctx, decision("a", " fine "), person(author));
    expect(await hasOpenReports(world.ctx, person(author))).toBe(false);
    expect(await isSuspended(author)).toBe(false);
    const entry = { by: admin, verb: "dismiss", subject: person(author), note: "fine" };
    expect(await log()).toEqual([entry]);
    // Reported and dismissed once more, from a page shown anew.
    await report(person(author));
    await dismissReports(world.ctx, decision("b"), person(author));
    expect(await log()).toHaveLength(2);
  });

  it("an applicant who is suspended is in the audit log, and reinstating lists no applicant", async () => {
    const { ctx } = world;
    const fields = { name: "ann", fullname: "Ann", pass: "none", reason: "I grow beans." };
    const applicant = await createUser(ctx, fields);
    await suspendReported(ctx, decision("a", "known"), person(applicant));
    const entry = { by: admin, subject: person(applicant) };
    expect(await log()).toEqual([{ ...entry, verb: "suspend", note: "known" }]);
    await reinstatePerson(ctx, decision("b"), applicant);
    expect(await ctx.redis.zscore(keys.newestUsers, applicant)).toBeNull();
  });

  it("removing a tweet deletes it as its author would, once", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "bad");
    const subject: Subject = { kind: "tweet", tweet };
    await report(subject);
    await removeReported(world.ctx, decision(), tweet);
    await removeReported(world.ctx, decision(), tweet);
    await removeReported(world.ctx, decision("another"), tweet);
    expect(await findTweet(world.ctx, tweet)).toBeUndefined();
    expect(await world.ctx.redis.hexists(keys.tweet(tweet), "text")).toBe(0);
    expect(await world.ctx.redis.zscore(keys.globalTimeline, tweet)).toBeNull();
    expect(await hasOpenReports(world.ctx, subject)).toBe(false);
    expect(await log()).toEqual([{ by: admin, verb: "remove", subject, note: "" }]);
    await expect(removeReported(world.ctx, decision(), tweetId(999))).rejects.toThrow(NotFound);
  });

  it("removing a tweet that its author deleted meanwhile closes the case", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "bad");
    await report({ kind: "tweet", tweet });
    await deleteTweet(world.ctx, author, tweet);
    await removeReported(world.ctx, decision(), tweet);
    expect(await hasOpenReports(world.ctx, { kind: "tweet", tweet })).toBe(false);
    expect(await log()).toEqual([]);
  });

  it("suspending the author of a tweet closes both cases and keeps the tweet", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "bad");
    await report({ kind: "tweet", tweet });
    await report(person(author));
    await suspendReported(world.ctx, decision(), { kind: "tweet", tweet });
    await suspendReported(world.ctx, decision("another"), { kind: "tweet", tweet });
    expect(await isSuspended(author)).toBe(true);
    expect(await hasOpenReports(world.ctx, { kind: "tweet", tweet })).toBe(false);
    expect(await hasOpenReports(world.ctx, person(author))).toBe(false);
    expect(await findTweet(world.ctx, tweet)).toBeDefined();
    expect(await log()).toEqual([
      { by: admin, verb: "suspend", subject: person(author), note: "" },
    ]);
    await reinstatePerson(world.ctx, decision("c", "sorry"), author);
    await reinstatePerson(world.ctx, decision("d"), author);
    expect(await isSuspended(author)).toBe(false);
    expect(await log()).toMatchObject([{ verb: "reinstate", note: "sorry" }, { verb: "suspend" }]);
  });

  it("admins and missing users cannot be suspended, and nothing is logged", async () => {
    const tweet = await postAndDeliver(world.ctx, admin, "mine");
    for (const subject of [person(admin), { kind: "tweet", tweet } as const])
      await expect(suspendReported(world.ctx, decision(), subject)).rejects.toThrow(Forbidden);
    for (const subject of [person(userId(999)), { kind: "tweet", tweet: tweetId(999) } as const])
      await expect(suspendReported(world.ctx, decision(), subject)).rejects.toThrow(NotFound);
    await expect(reinstatePerson(world.ctx, decision(), userId(999))).rejects.toThrow(NotFound);
    expect(await isSuspended(admin)).toBe(false);
    expect(await log()).toEqual([]);
  });

  it("a decision with a too long note is refused whole", async () => {
    const tweet = await postAndDeliver(world.ctx, author, "bad");
    await report({ kind: "tweet", tweet });
    const wordy = decision("a", "x".repeat(501));
    await expect(removeReported(world.ctx, wordy, tweet)).rejects.toThrow(Invalid);
    await expect(suspendReported(world.ctx, wordy, person(author))).rejects.toThrow(Invalid);
    expect(await findTweet(world.ctx, tweet)).toBeDefined();
    expect(await isSuspended(author)).toBe(false);
    expect(await log()).toEqual([]);
  });

  it("a decision that was recorded but not carried out is carried out when sent again, and listed once", async () => {
    const user = await findUser(world.ctx, author);
    if (user === undefined) throw new Error("nobody");
    const dying = Object.create(world.ctx.redis, {
      setField: { value: () => Promise.reject(new Error("Connection is closed.")) },
    }) as typeof world.ctx.redis;
    const broken = { ...world.ctx, redis: dying };
    await expect(suspendReported(broken, decision(), person(author))).rejects.toThrow(/closed/);
    expect(await isSuspended(author)).toBe(false);
    await suspendReported(world.ctx, decision(), person(author));
    expect(await isSuspended(author)).toBe(true);
    expect(await log()).toHaveLength(1);
    await suspendUser(world.ctx, user);
  });
});
