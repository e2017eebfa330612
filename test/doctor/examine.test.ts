import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import { diagnose, furnishPatient, type Patient, settled } from "../support/patient.ts";
import { createWorld, type World } from "../support/world.ts";

describe("the doctor", () => {
  let world: World;
  let patient: Patient;
  beforeAll(async () => {
    world = await createWorld({ admins: ["viewer"] });
    patient = await furnishPatient(world);
  });
  afterAll(async () => world.close());

  const redis = () => world.ctx.redis;

  it("finds nothing in a site that is well", async () => {
    expect(await diagnose(world)).toMatchObject({ findings: [], counts: {}, left: 0 });
  });

  it("finds an account whose deletion nothing goes on with, and goes on with it", async () => {
    await world.newcomer("leaver");
    await settled(world);
    const leaver = userId((await redis().get(keys.username("leaver"))) ?? "");
    await redis().hset(keys.user(leaver), "deleted_at", 1);
    expect((await diagnose(world)).counts).toEqual({ "user-not-erased": 1 });
    await diagnose(world, { repair: true });
    await settled(world);
    expect(await redis().exists(keys.user(leaver))).toBe(0);
    expect((await diagnose(world)).findings).toEqual([]);
  });

  it("finds a dead letter, and runs it again", async () => {
    await world.queues.all()[2]?.add("settle-nothing", {}, { attempts: 1 });
    await settled(world);
    expect((await diagnose(world)).findings).toEqual([
      expect.objectContaining({
        kind: "job-failed",
        detail: "settle-nothing failed for good: unknown chore settle-nothing",
        repair: "run it again",
      }),
    ]);
    for (const queue of world.queues.all()) await queue.clean(0, 100, "failed");
  });

  it("leaves an account that was lost to a person to decide", async () => {
    const { writer } = patient;
    const account = await redis().hgetall(keys.user(writer));
    await redis().del(keys.user(writer));
    const { findings } = await diagnose(world, { repair: true });
    expect(findings).toContainEqual(
      expect.objectContaining({ kind: "user-lost", repair: "needs a decision", repaired: false }),
    );
    expect(await redis().exists(keys.userTimeline(writer))).toBe(1);
    await redis().hset(keys.user(writer), account);
    await diagnose(world, { repair: true });
    expect((await diagnose(world)).findings).toEqual([]);
  });

  it("leaves alone and tells what it does not know", async () => {
    await redis().set("foreign:key", "1");
    const { findings } = await diagnose(world, { repair: true });
    expect(findings).toEqual([
      {
        kind: "unknown-key",
        key: "foreign:key",
        detail: "no key of Suzume is named so",
        repair: "needs a decision",
        repaired: false,
      },
    ]);
    expect(await redis().get("foreign:key")).toBe("1");
    await redis().del("foreign:key");
  });
});
