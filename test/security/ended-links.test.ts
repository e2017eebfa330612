import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import {
  getResetLink,
  makeResetLink,
  rescueByAdmin,
  useResetLink,
} from "../../src/domain/accounts/reset-links.ts";
import { NotFound } from "../../src/domain/errors.ts";
import { giveRole } from "../../src/domain/moderation/accounts.ts";
import { findCredentials, logIn } from "../../src/domain/users/log-in.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { password } from "../support/actors/visitor.ts";
import { pausingAfter } from "../support/world/ending-process.ts";
import { createWorld, type World } from "../support/world/world.ts";

const fresh = "a rescued horse 44";
const tokenIn = (path: string) => path.replace("/reset/", "");

describe("links to a new password that end before they are used", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const end = {
    role: (admin: User) => ctx.redis.hdel(keys.user(admin.id), "role"),
    password: (admin: User) => changePassword(ctx, admin, { current: password, next: fresh }),
  };
  it.each(["role", "password"] as const)(
    "a link that an admin made ends with the admin's %s",
    async (what) => {
      const [name, forgetful] = [`admin_${what}`, `user_${what}`];
      for (const one of [name, forgetful]) await world.newcomer(one);
      const user = await getUserByName(ctx, forgetful);
      await giveRole(ctx, { by: undefined, note: "" }, await getUserByName(ctx, name), "admin");
      const by = await getUserByName(ctx, name);
      const makeAs = async (maker: User) =>
        tokenIn(await rescueByAdmin(ctx, { by: maker, note: "", removesFactors: true }, user));
      const token = await makeAs(by);
      expect((await getResetLink(ctx, token)).user.id).toBe(user.id);
      await end[what](by);
      // A request of the admin that was under way makes no good link.
      for (const one of [token, await makeAs(by)]) {
        await expect(getResetLink(ctx, one)).rejects.toThrow(NotFound);
        await expect(useResetLink(ctx, one, fresh)).rejects.toThrow(NotFound);
      }
      await logIn(ctx, { name: user.name, password });
    },
  );

  it("a reset link sets the password before a suspension or not at all, at whichever command", async () => {
    let isPaused = true;
    for (let commands = 0; isPaused; commands += 1) {
      isPaused = false;
      const name = `late${commands}`;
      await world.newcomer(name);
      const user = await getUserByName(ctx, name);
      const token = tokenIn(await makeResetLink(ctx, user));
      let before: string | undefined;
      let ended: string | undefined;
      const passwordOf = () => findCredentials(ctx, user.id);
      const paused = pausingAfter(ctx, commands, async () => {
        isPaused = true;
        before = (await passwordOf())?.hash;
        await suspendUser(ctx, user);
        ended = (await passwordOf())?.generation;
      });
      await useResetLink(paused, token, fresh).catch(() => undefined);
      if (!isPaused) continue;
      expect([commands, await passwordOf()]).toEqual([
        commands,
        { hash: before, generation: ended, isRefused: false },
      ]);
    }
  });
});
