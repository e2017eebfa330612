import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Chores, Ctx } from "../../../src/context.ts";
import {
  acceptApplicant,
  applicationsPage,
  countApplicants,
  findRefusal,
  join,
  refuseApplicant,
} from "../../../src/domain/community/join.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { writeSite } from "../../../src/domain/site/settings.ts";
import { newestUsers } from "../../../src/domain/users/listed.ts";
import { reconcileSignUp } from "../../../src/domain/users/sign-up.ts";
import { findUserByName } from "../../../src/domain/users/store.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { keys } from "../../../src/redis/keys.ts";
import { endingAfter, pausingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const decision = { by: undefined, nonce: "form", note: "" };
const form = {
  fullname: "Ann",
  password: "a perfectly fine password",
  invitation: "",
  reason: "I grow beans.",
  agreed: false,
};

describe("an application that is interrupted", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
    await writeSite(ctx, { signUp: "approve" });
  });
  afterAll(() => world.close());

  const listed = async () => (await ctx.redis.zrange(keys.applicants, 0, "-1")).map(userId);

  /** Runs the chores that were promised. */
  const keepPromises = async () => {
    const chores = world.queues.all().find(({ name }) => name === "chores");
    for (const job of (await chores?.getJobs(["waiting", "prioritized", "delayed"])) ?? []) {
      await job.remove();
      await runChore(ctx, job.name, job.data as Chores["index-person"]);
    }
  };

  it("an application that is sent again is one, wherever the first try ended", async () => {
    const twins: UserId[] = [];
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      const name = `ann${commands}`;
      const first = join(endingAfter(ctx, commands), { ...form, name });
      await untilEnded(first.then(() => void (done.whole = true)));
      const tries = await listed();
      // As if the claim had expired.
      const claim = await ctx.redis.get(keys.username(name));
      if (claim?.startsWith("claimed:") === true) await ctx.redis.del(keys.username(name));
      // Refused if the first try has the name.
      await join(ctx, { ...form, name }).catch(() => undefined);
      const user = (await findUserByName(ctx, name))?.id ?? userId("999");
      const { items } = await applicationsPage(ctx, { before: undefined, limit: 10 });
      expect([name, items.map((one) => one.user.id)]).toEqual([name, [user]]);
      await acceptApplicant(ctx, decision, user);
      for (const id of tries) {
        await expect(refuseApplicant(ctx, decision, id)).rejects.toThrow(NotFound);
        await reconcileSignUp(ctx, id);
      }
      twins.push(...tries.filter((id) => id !== user));
      expect([name, await ctx.redis.ttl(keys.username(name))]).toEqual([name, -1]);
      expect([name, await countApplicants(ctx)]).toEqual([name, 0]);
    }
    expect(twins.length).toBeGreaterThan(1);
  });

  it("an acceptance that was interrupted can be repeated, or what it promised makes it whole", async () => {
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      const name = `eve${commands}`;
      const { user } = await join(ctx, { ...form, name });
      await keepPromises();
      const first = acceptApplicant(endingAfter(ctx, commands), decision, user);
      await untilEnded(first.then(() => void (done.whole = true)));
      await keepPromises();
      if ((await findUserByName(ctx, name))?.waiting === true) {
        await acceptApplicant(ctx, decision, user);
        await keepPromises();
      }
      expect([name, await countApplicants(ctx)]).toEqual([name, 0]);
      expect((await newestUsers(ctx, 50)).map(({ id }) => id)).toContain(user);
      expect(await ctx.redis.exists(keys.indexedPerson(user))).toBe(1);
    }
  });

  it("a refusal that was interrupted leaves no entries in the search, or can be repeated", async () => {
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      const { user } = await join(ctx, { ...form, name: `una${commands}` });
      await keepPromises();
      const first = refuseApplicant(endingAfter(ctx, commands), decision, user);
      await untilEnded(first.then(() => void (done.whole = true)));
      await keepPromises();
      const isRefused = (await findRefusal(ctx, user)) !== undefined;
      const isIndexed = (await ctx.redis.exists(keys.indexedPerson(user))) === 1;
      expect([commands, isIndexed]).toEqual([commands, !isRefused]);
      if (!isRefused) await refuseApplicant(ctx, decision, user);
    }
  });

  it("a slow application is listed, at whichever command the promised chore overtakes it", async () => {
    let isPaused = true;
    for (let commands = 0; isPaused; commands += 1) {
      isPaused = false;
      const name = `slow${commands}`;
      const slow = pausingAfter(ctx, commands, async () => {
        isPaused = true;
        for (const id of await listed()) await reconcileSignUp(ctx, id);
      });
      const { user } = await join(slow, { ...form, name });
      expect([name, await listed()]).toEqual([name, expect.arrayContaining([user])]);
    }
  });
});
