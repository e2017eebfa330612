import { afterEach, describe, expect, it } from "vitest";
import { draw } from "../../../src/domain/drawing/draw.ts";
import { addUpload, findUploads } from "../../../src/domain/pictures/uploads.ts";
import { prepareUpload } from "../../../src/domain/pictures/prepare-upload.ts";
import { newPeople } from "../../support/actors/people.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { picture } from "../../support/data/pictures.ts";
import { alertsOn } from "../../support/inspect/page.ts";
import { send } from "../../support/actors/composer.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("turns and time of uploads", () => {
  let world: World;
  afterEach(() => world.close());

  it("a user with many uploads delays only their own: the first upload of each user comes first", async () => {
    world = await createWorld({}, { workers: false });
    const [many, few] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    const bytes = await picture("png");
    const add = (user: UserId) => addUpload(world.ctx, user, { bytes, description: "" });
    for (let nth = 0; nth < 5; nth += 1) await add(many);
    await add(few);
    const pictures = world.queues.all().find(({ name }) => name === "pictures");
    const jobs = (await pictures?.getJobs(["waiting", "prioritized"], 0, -1, true)) ?? [];
    const users = jobs.map(({ data }) => (data as { user: UserId }).user);
    expect(users).toEqual([many, few, many, many, many, many]);
    expect(await world.ctx.jobs.counts()).toContainEqual({
      queue: "pictures",
      state: "waiting",
      count: 6,
    });
  });

  it("converted uploads do not count for the turn of the next", async () => {
    world = await createWorld({}, { workers: false });
    const [one, other] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    const bytes = await picture("png");
    const add = (user: UserId) => addUpload(world.ctx, user, { bytes, description: "" });
    const first = await add(one);
    await prepareUpload(world.ctx, { user: one, upload: first });
    const pictures = world.queues.all().find(({ name }) => name === "pictures");
    await pictures?.drain();
    await add(one);
    await add(other);
    const jobs = (await pictures?.getJobs(["prioritized"], 0, -1, true)) ?? [];
    expect(jobs.map(({ data }) => (data as { user: UserId }).user)).toEqual([one, other]);
  });

  it("a user whose pictures took all the time of a day is told so, and others go on", async () => {
    world = await createWorld({ limits: { "pictures:account": 0.2 } });
    const [ann, bob] = [await world.newcomer("ann"), await world.newcomer("bob")];
    const pictures = [await picture("png")];
    expect((await send(ann, { text: "one", pictures })).status).toBe(303);
    const refused = await send(ann, { text: "two, as it was typed", pictures });
    expect(refused.status).toBe(422);
    expect(alertsOn(refused.text)).toContainEqual(
      expect.stringContaining("Please add this picture tomorrow."),
    );
    expect(refused.text).toContain("two, as it was typed");
    const avatar = ann.agent.post("/settings/avatar").attach("avatar", await picture("png"), "a");
    expect(alertsOn((await avatar.expect(422)).text)[0]).toContain("tomorrow");
    expect((await send(bob, { text: "three", pictures })).status).toBe(303);
  });

  it("a picture that is refused takes time of its user, too", async () => {
    world = await createWorld({ limits: { "pictures:account": 0.2 } }, { workers: false });
    const [user] = (await newPeople(world.ctx, 1)) as [UserId];
    const broken = (await picture("png")).subarray(0, 300);
    const add = (bytes: Buffer) => addUpload(world.ctx, user, { bytes, description: "" });
    const upload = await add(broken);
    await prepareUpload(world.ctx, { user, upload });
    const [found] = await findUploads(world.ctx, user, [upload]);
    expect(found?.made).toEqual({ problem: "picture.broken" });
    await expect(add(await picture("png"))).rejects.toThrow("picture.budget");
  });

  it("an avatar waits for its turn, also where that takes longer than an answer may", async () => {
    world = await createWorld({}, { workers: false });
    const ann = await world.newcomer("ann");
    world.ctx.config.answerMilliseconds = 300;
    const large = await picture("png", { width: 5000, height: 5000 });
    const others = Array.from({ length: 5 }, () => draw("picture", large));
    await ann.agent.post("/settings/avatar").attach("avatar", large, "a.png").expect(303);
    await Promise.all(others);
  });
});
