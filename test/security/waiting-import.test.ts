import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { deleteAccount, eraseAccount } from "../../src/domain/accounts/erase.ts";
import { findImport } from "../../src/domain/accounts/import-store.ts";
import { Invalid, Unauthenticated } from "../../src/domain/errors.ts";
import { readUser, type User } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { keys } from "../../src/redis/keys.ts";
import { asRequest } from "../support/actors/author.ts";
import { password } from "../support/actors/visitor.ts";
import { exportFileWith, fileTweets, previewImport } from "../support/data/account-files.ts";
import { pausingAfter } from "../support/world/ending-process.ts";
import { findKeys } from "../support/world/redis-nodes.ts";
import { giveNewPassword, RightsScene } from "../support/world/rights-scene.ts";

describe("a file for an import that waits", () => {
  let scene: RightsScene;
  let ctx: Ctx;
  beforeAll(async () => {
    scene = await RightsScene.create();
    ({ ctx } = scene);
  });
  afterAll(() => scene.world.close());

  const endings: Record<string, (user: User) => Promise<unknown>> = {
    "a new password": (user) => giveNewPassword(ctx, user),
    "a suspension": (user) => suspendUser(ctx, user),
    "the end of the account": async (user) => {
      await deleteAccount(ctx, user, { name: user.name, password });
      for (const pass of ["first", "last"] as const)
        await eraseAccount(ctx, { user: user.id, pass });
    },
  };

  const file = exportFileWith({ tweet: fileTweets("one", "two") });
  const itemsOf = async (user: User) => await findKeys(ctx.redis, keys.importItems(user.id, "*"));

  /** What becomes of a file that waits while another is read; meanwhile `between` happens. */
  const waiting = async (user: User, between: () => Promise<unknown>) => {
    const other = await scene.newUser();
    let free: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const first = previewImport(
      pausingAfter(ctx, 1, () => held),
      other.user.id,
      file,
    );
    const second = asRequest(ctx, user, () => previewImport(ctx, user.id, file));
    const outcome = second.catch((error: unknown) => error);
    await between();
    free?.();
    await first;
    return await outcome;
  };

  it.each(Object.keys(endings))(
    "a file that waits to be read is not stored after %s",
    async (ending) => {
      const { user } = await scene.newUser();
      expect(await waiting(user, async () => await endings[ending]?.(user))).toBeInstanceOf(
        Unauthenticated,
      );
      expect(await findImport(ctx, user.id)).toBeUndefined();
      expect(await itemsOf(user)).toEqual([]);
    },
  );

  it("a file that waits to be read does not replace an import that began meanwhile", async () => {
    const { user } = await scene.newUser();
    await previewImport(ctx, user.id, file);
    const current = await findImport(ctx, user.id);
    const outcome = await waiting(user, async () => {
      await ctx.redis.hset(keys.import(user.id), "wish", "running");
    });
    expect(outcome).toBeInstanceOf(Invalid);
    expect((await findImport(ctx, user.id))?.id).toBe(current?.id);
  });

  it.each([0, 110])(
    "a file leaves nothing if the right ends while it is stored, %s milliseconds before a write",
    async (milliseconds) => {
      const { user } = await scene.newUser();
      let commands = 0;
      for (let isPaused = true; isPaused; commands += 1) {
        isPaused = false;
        const slow = pausingAfter(ctx, commands, async () => {
          isPaused = true;
          await ctx.redis.hset(keys.user(user.id), "generation", `ended ${commands}`);
          await sleep(milliseconds);
        });
        const known = (await readUser(ctx, user.id)) as User;
        await asRequest(ctx, known, () => previewImport(slow, user.id, file)).catch(() => {});
        const stored = await findImport(ctx, user.id);
        expect(await itemsOf(user)).toHaveLength(stored === undefined ? 0 : 1);
        if (stored !== undefined) break;
      }
      // A cluster gets the items and their expiry as one command.
      expect(commands).toBeGreaterThan(1);
    },
  );
});
