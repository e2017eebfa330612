import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import {
  acceptApplicant,
  applicationsPage,
  countApplicants,
  join,
  refuseApplicant,
} from "../../../src/domain/community/join.ts";
import { NotFound } from "../../../src/domain/errors.ts";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { writeSite } from "../../../src/domain/site/settings.ts";
import { reconcileSignUp } from "../../../src/domain/users/sign-up.ts";
import { findUserByName } from "../../../src/domain/users/store.ts";
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
