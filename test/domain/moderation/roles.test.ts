import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { giveRole } from "../../../src/domain/moderation/accounts.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { pausingBefore } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const decision = { by: undefined, nonce: "form", note: "" };

describe("roles", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    ({ ctx } = world);
    await world.newcomer("boss");
  });
  afterAll(() => world.close());

  it.each([
    ["admin", "", "setField"],
    ["", "admin", "hdel"],
  ] as const)(
    "two admins who give one person other roles at once leave account and list alike: %j and %j",
    async (slow, fast, command) => {
      const id = await newPerson(ctx);
      const person = async () => (await findUser(ctx, id)) as User;
      await giveRole(ctx, decision, await person(), "moderator");
      const moderator = await person();
      const meanwhile = () => giveRole(ctx, { ...decision, nonce: "other" }, moderator, fast);
      await giveRole(pausingBefore(ctx, [command], meanwhile), decision, moderator, slow);
      const listed = (await ctx.redis.hget(keys.staff, id)) ?? "";
      expect([(await person()).role, listed]).toEqual([listed, fast]);
    },
  );
});
