import { array, assert, asyncProperty, integer } from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import { tweetId, userId, type UserId } from "../../../src/domain/ids.ts";
import { reportPerson, reportTweet } from "../../../src/domain/moderation/report.ts";
import {
  type Case,
  casesShown,
  countOpenCases,
  hasOpenReports,
  keepReport,
  openCases,
  resolveReports,
} from "../../../src/domain/moderation/store.ts";
import { serializeSubject, type Subject } from "../../../src/domain/moderation/audit.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys, mostOf } from "../../../src/redis/keys.ts";
import { dump } from "../../support/world/dump.ts";
import { newPeople, readAll, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";
import { runs } from "../../support/models/property-runs.ts";

const about = { reason: "spam", comment: "" };
const person = (id: number | string): Subject => ({ kind: "person", person: userId(id) });
const from = (reporter: UserId, stamp: number, comment = "") => ({
  reporter,
  reason: "other" as const,
  comment,
  stamp,
});

const refused = async (work: Promise<void>, problems: object) =>
  await expect(work).rejects.toMatchObject({ problems });

describe("a report", () => {
  let world: World;
  let author: User;
  let reporters: User[];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await emptyRedis(world.ctx.redis);
    const ids = await newPeople(world.ctx, 4);
    const users = await Promise.all(ids.map((id) => findUser(world.ctx, id)));
    [author, ...reporters] = users as [User, ...User[]];
  });

  const queue = () => readAll((after) => openCases(world.ctx, after));
  const caseOf = async (subject: Subject): Promise<Case | undefined> =>
    (await queue()).find((one) => serializeSubject(one.subject) === serializeSubject(subject));

  it("a report joins those of others about the same tweet", async () => {
    const id = await postAndDeliver(world.ctx, author.id, "bad");
    await reportPerson(world.ctx, reporters[0] as User, author, about);
    for (const [nth, reporter] of reporters.entries())
      await reportTweet(world.ctx, reporter, id, { reason: "abuse", comment: `no ${nth}` });
    expect(await countOpenCases(world.ctx)).toBe(2);
    const [first, second, ...none] = await queue();
    expect(none).toEqual([]);
    expect(first).toMatchObject({ subject: person(author.id), reports: [{ reason: "spam" }] });
    expect(second?.subject).toEqual({ kind: "tweet", tweet: id });
    expect(
      second?.reports.map(({ reporter, reason, comment }) => [reporter, reason, comment]),
    ).toEqual(reporters.map((reporter, nth) => [reporter.id, "abuse", `no ${nth}`]));
  });

  it("a second report by the same user replaces the first, and keeps the place in the queue", async () => {
    const [one, two] = reporters as [User, User];
    await reportPerson(world.ctx, one, author, about);
    world.pass(1000);
    await reportPerson(world.ctx, two, one, about);
    world.pass(1000);
    await reportPerson(world.ctx, one, author, { reason: "illegal", comment: " see\u200b here " });
    const found = await queue();
    expect(found.map((entry) => entry.subject)).toEqual([person(author.id), person(one.id)]);
    expect(found[0]?.reports).toMatchObject([{ reason: "illegal", comment: "see here" }]);
  });

  it("a report written twice is one report", async () => {
    const report = from(author.id, 5000, "twice");
    await keepReport(world.ctx, person(7), report);
    const once = await dump(world.ctx);
    await keepReport(world.ctx, person(7), report);
    expect(await dump(world.ctx)).toEqual(once);
  });

  it("a report about oneself, without a reason or with a too long comment is refused", async () => {
    const [reporter] = reporters as [User];
    const id = await postAndDeliver(world.ctx, author.id, "mine");
    await refused(reportTweet(world.ctx, author, id, about), { form: "report.self" });
    await refused(reportPerson(world.ctx, author, author, about), { form: "report.self" });
    for (const reason of ["", "Spam", "constructor", "0"])
      await refused(reportPerson(world.ctx, reporter, author, { reason, comment: "" }), {
        reason: "report.reason",
      });
    const comment = "👩‍👩‍👧".repeat(501);
    await refused(reportPerson(world.ctx, reporter, author, { reason: "spam", comment }), {
      comment: "comment.long",
    });
    expect(await countOpenCases(world.ctx)).toBe(0);
    await reportPerson(world.ctx, reporter, author, { reason: "spam", comment: comment.slice(8) });
  });

  it("a report about something missing or hidden from the reporter is refused", async () => {
    const [reporter] = reporters as [User];
    const id = await postAndDeliver(world.ctx, author.id, "hidden");
    await world.ctx.redis.zadd(keys.blockedBy(reporter.id), 1, author.id);
    const blocked = (await findUser(world.ctx, reporter.id)) as User;
    await expect(reportTweet(world.ctx, blocked, id, about)).rejects.toThrow(NotFound);
    await expect(reportTweet(world.ctx, author, tweetId(999), about)).rejects.toThrow(NotFound);
    expect(await countOpenCases(world.ctx)).toBe(0);
  });

  it("a user with twenty open reports cannot report until one is decided", async () => {
    const [reporter] = reporters as [User];
    const { id } = reporter;
    for (let nth = 1; nth <= mostOf("reportsBy"); nth += 1)
      expect(await keepReport(world.ctx, person(500 + nth), from(id, nth))).toBe(true);
    const more = reportPerson(world.ctx, reporter, author, about);
    await expect(more).rejects.toMatchObject({ problems: { form: "report.many" } });
    await expect(more).rejects.toThrow(Invalid);
    expect(await keepReport(world.ctx, person(100), from(id, 100))).toBe(false);
    expect(await hasOpenReports(world.ctx, person(100))).toBe(false);
    // Of those that are open, one may say more.
    expect(await keepReport(world.ctx, person(503), from(id, 200, "more"))).toBe(true);
    await resolveReports(world.ctx, person(503));
    expect(await keepReport(world.ctx, person(100), from(id, 300))).toBe(true);
    expect(await world.ctx.redis.zcard(keys.reportsBy(id))).toBe(mostOf("reportsBy"));
  });

  it("a report does not count forever if a process died before it left the reporter's list", async () => {
    const { id } = reporters[0] as User;
    for (let nth = 1; nth <= mostOf("reportsBy"); nth += 1)
      await keepReport(world.ctx, person(500 + nth), from(id, nth));
    await world.ctx.redis.del(keys.reportsOf(serializeSubject(person(505))));
    expect(await keepReport(world.ctx, person(100), from(id, 300))).toBe(true);
    expect(await keepReport(world.ctx, person(101), from(id, 300))).toBe(false);
  });

  it("fifty reports of a subject are kept", async () => {
    for (let nth = 1; nth <= mostOf("reportsOf") + 5; nth += 1)
      expect(await keepReport(world.ctx, person(7), from(userId(nth), nth))).toBe(true);
    expect((await caseOf(person(7)))?.reports).toHaveLength(mostOf("reportsOf"));
    // What is not kept is not open: no decision would end it.
    expect(await world.ctx.redis.zcard(keys.reportsBy(userId(51)))).toBe(0);
    await keepReport(world.ctx, person(7), from(userId(50), 100, "once more"));
    expect((await caseOf(person(7)))?.reports.at(-1)).toMatchObject({ comment: "once more" });
  });

  it("decided reports leave the queue, and a new one comes back", async () => {
    const [one, two] = reporters as [User, User];
    for (const reporter of [one, two]) await reportPerson(world.ctx, reporter, author, about);
    const subject = person(author.id);
    await resolveReports(world.ctx, subject);
    expect(await queue()).toEqual([]);
    expect(await hasOpenReports(world.ctx, subject)).toBe(false);
    for (const { id } of [one, two])
      expect(await world.ctx.redis.zcard(keys.reportsBy(id))).toBe(0);
    const resolved = keys.resolvedReports(serializeSubject(subject));
    expect(await world.ctx.redis.ttl(resolved)).toBeGreaterThan(89 * 86_400);
    const decided = await dump(world.ctx);
    await resolveReports(world.ctx, subject);
    expect(await dump(world.ctx)).toEqual(decided);

    await reportPerson(world.ctx, one, author, { reason: "abuse", comment: "" });
    expect(await queue()).toMatchObject([{ subject, earlier: 2, reports: [{ reason: "abuse" }] }]);
  });

  it("every report is on exactly one page of the queue, oldest first, whatever the stamps", async () => {
    const stamps = array(integer({ min: 1, max: 12 }), { maxLength: 4 * casesShown });
    await assert(
      asyncProperty(stamps, async (given) => {
        await world.ctx.redis.del(keys.openReports);
        for (const [index, stamp] of given.entries())
          await world.ctx.redis.zadd(keys.openReports, stamp, serializeSubject(person(index + 1)));
        const found = await queue();
        expect(found.map((one) => one.stamp)).toEqual(given.toSorted((one, two) => one - two));
        expect(new Set(found.map((one) => serializeSubject(one.subject))).size).toBe(given.length);
      }),
      runs(40),
    );
  });
});
