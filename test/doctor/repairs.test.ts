import { assert as holds, asyncProperty, shuffledSubarray } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rebuildHome } from "../../src/domain/timelines/home.ts";
import { keys } from "../../src/redis/keys.ts";
import { dump } from "../support/world/dump.ts";
import { damages } from "./damages.ts";
import { runDoctor, finishJobs } from "../support/world/doctor.ts";
import { createSampleSite, type SampleSite } from "./sample-site.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { runs } from "../support/models/property-runs.ts";

describe("the doctor", () => {
  let world: World;
  let site: SampleSite;
  beforeAll(async () => {
    world = await createWorld({ admins: ["viewer"] });
    site = await createSampleSite(world);
  });
  afterAll(async () => world.close());

  it.each(damages)("the doctor finds %s and repairs it", async (_, kind, harm) => {
    await makeHomes();
    const before = await comparable();
    await harm(site);
    const dry = await runDoctor(world);
    expect(Object.keys(dry.counts)).toContain(kind);
    const repaired = await runDoctor(world, { repair: true });
    expect(repaired.findings.filter((one) => one.repaired !== true)).toEqual([]);
    await finishJobs(world);
    expect((await runDoctor(world)).findings).toEqual([]);
    expect(await comparable()).toEqual(before);
  });

  it("the doctor repairs any combination of damages, and changes nothing else", async () => {
    const before = await comparable();
    // One that neither its user nor its original lists was taken back.
    const some = shuffledSubarray(damages, { minLength: 2 }).filter(
      (chosen) => chosen.filter(([name]) => name.startsWith("a retweet that its")).length < 2,
    );
    const property = asyncProperty(some, async (chosen) => {
      await makeHomes();
      const whole = await dump(world.ctx);
      for (const [, , harm] of chosen) await harm(site);
      expect(await dump(world.ctx), "nothing was damaged").not.toEqual(whole);
      const { findings } = await runDoctor(world, { repair: true });
      expect(findings).not.toEqual([]);
      await finishJobs(world);
      expect((await runDoctor(world)).findings).toEqual([]);
      expect(await comparable()).toEqual(before);
    });
    await holds(property, runs(8));
  });

  /** Both home timelines: the repair of an earlier damage may have deleted them. */
  async function makeHomes(): Promise<void> {
    for (const user of [site.viewer, site.writer]) await rebuildHome(world.ctx, user);
  }

  /** All that is kept, but for what changes with every look and every repair. */
  async function comparable(): Promise<Map<string, unknown>> {
    const all = await dump(world.ctx);
    // Numbers that were handed out in vain do not count.
    for (const counter of [keys.userIds, keys.tweetIds, keys.appIds]) all.delete(counter);
    for (const key of all.keys()) if (key.startsWith(keys.ratePrefix)) all.delete(key);
    // Caches, which a repair may delete.
    for (const user of [site.viewer, site.writer]) all.delete(keys.homeTimeline(user));
    for (const value of all.values())
      if (typeof value === "object" && value !== null)
        for (const field of ["avatar"]) delete (value as Record<string, unknown>)[field];
    return all;
  }
});
