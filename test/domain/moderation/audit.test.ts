import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { userId } from "../../../src/domain/ids.ts";
import {
  type AuditEntry,
  auditPage,
  recordEntry,
  type Subject,
} from "../../../src/domain/moderation/audit.ts";
import { keys } from "../../../src/redis/keys.ts";
import { readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";

const person = (id: number): Subject => ({ kind: "person", person: userId(id) });
const entry = (subject: Subject, verb: AuditEntry["verb"] = "suspend", note = ""): AuditEntry => ({
  by: userId(1),
  verb,
  subject,
  note,
});

describe("the audit log", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());
  beforeEach(() => emptyRedis(world.ctx.redis));

  const all = (limit = 50) => readAll((before) => auditPage(world.ctx, { before, limit }));

  it("the audit log shows actor, action, target, time and reason, newest first", async () => {
    const began = Date.now();
    await recordEntry(world.ctx, { nonce: "one", ...entry(person(7), "suspend", "subject") });
    await recordEntry(world.ctx, {
      nonce: "two",
      ...entry({ kind: "tweet", tweet: "9" as never }, "remove"),
    });
    const entries = await all();
    expect(entries).toMatchObject([
      { by: "1", verb: "remove", subject: { kind: "tweet", tweet: "9" }, note: "" },
      { by: "1", verb: "suspend", subject: person(7), note: "subject" },
    ]);
    for (const { stamp } of entries) {
      expect(stamp / 1000).toBeGreaterThan(began - 1000);
      expect(stamp / 1000).toBeLessThan(Date.now() + 1000);
    }
  });

  it("the audit log lists an entry once however often it is written, and a repeated one again", async () => {
    const suspend = () => recordEntry(world.ctx, { nonce: "a:suspend", ...entry(person(7)) });
    await suspend();
    await recordEntry(world.ctx, { nonce: "a:suspend", ...entry(person(8)) });
    await Promise.all([suspend(), suspend()]);
    expect(await all()).toHaveLength(2);
    await recordEntry(world.ctx, { nonce: "b:reinstate", ...entry(person(7), "reinstate") });
    await suspend();
    await suspend();
    expect((await all()).map((one) => one.verb)).toEqual([
      "suspend",
      "reinstate",
      "suspend",
      "suspend",
    ]);
  });

  it("the audit log lists entries of the same form that differ in their verb or their note", async () => {
    await recordEntry(world.ctx, { nonce: "one page", ...entry(person(7), "block", "a word") });
    await recordEntry(world.ctx, {
      nonce: "one page",
      ...entry(person(7), "block", "another word"),
    });
    await recordEntry(world.ctx, {
      nonce: "one page",
      ...entry(person(7), "unblock", "another word"),
    });
    expect(await all()).toHaveLength(3);
  });

  it("the audit log is read to its end in pages", async () => {
    for (let nth = 1; nth <= 23; nth += 1)
      await recordEntry(world.ctx, { nonce: String(nth), ...entry(person(nth)) });
    const expected = Array.from({ length: 23 }, (_, index) => person(23 - index));
    for (const limit of [1, 5, 22, 23, 24])
      expect((await all(limit)).map((one) => one.subject)).toEqual(expected);
  });

  it("the audit log keeps about the newest ten thousand entries", async () => {
    const fill = world.ctx.redis.pipeline();
    for (let nth = 0; nth < 10_300; nth += 1)
      fill.xadd(keys.auditLog, "*", "act", `${nth}`, "subject", "p1", "by", "1", "verb", "suspend");
    await fill.exec();
    await recordEntry(world.ctx, { nonce: "last", ...entry(person(7)) });
    const length = await world.ctx.redis.xlen(keys.auditLog);
    expect(length).toBeGreaterThanOrEqual(10_000);
    expect(length).toBeLessThan(10_200);
  });

  it("the process log has audit entries without what users wrote", async () => {
    world.logged.length = 0;
    await recordEntry(world.ctx, {
      nonce: "a-form",
      ...entry(person(7), "suspend", "a private word"),
    });
    expect(world.logged).toHaveLength(1);
    expect(JSON.parse(world.logged[0] ?? "")).toMatchObject({
      level: 30,
      msg: "moderation",
      nonce: "a-form",
      by: "1",
      verb: "suspend",
      subject: "p7",
    });
    expect(world.logged[0]).not.toContain("private");
  });
});
