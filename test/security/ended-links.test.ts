import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { changePassword } from "../../src/domain/accounts/change-password.ts";
import {
  confirmAddress,
  findPending,
  makeConfirmLink,
  removeAddress,
  requestAddress,
} from "../../src/domain/accounts/confirm-mail.ts";
import { findAddress } from "../../src/domain/accounts/mail.ts";
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

  const promote = (user: User) => giveRole(ctx, { by: undefined, note: "" }, user, "admin");
  const end = {
    "with the admin's role": ({ by }: { by: User }) => ctx.redis.hdel(keys.user(by.id), "role"),
    "with the admin's password": ({ by }: { by: User }) =>
      changePassword(ctx, by, { current: password, next: fresh }),
    "when its user becomes an admin": ({ user }: { user: User }) => promote(user),
  };
  it.each(Object.keys(end) as (keyof typeof end)[])(
    "a link that an admin made ends %s",
    async (how) => {
      const nth = Object.keys(end).indexOf(how);
      const [name, forgetful] = [`admin_${nth}`, `user_${nth}`];
      for (const one of [name, forgetful]) await world.newcomer(one);
      const user = await getUserByName(ctx, forgetful);
      await promote(await getUserByName(ctx, name));
      const by = await getUserByName(ctx, name);
      const make = async () =>
        tokenIn(await rescueByAdmin(ctx, { by, note: "", removesFactors: true }, user));
      const token = await make();
      expect((await getResetLink(ctx, token)).user.id).toBe(user.id);
      await end[how]({ by, user });
      // A request of the admin that was under way makes no good link.
      for (const one of [token, await make()]) {
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

describe("links that confirm a mail address, and end before they are used", () => {
  let world: World;
  let ctx: Ctx;
  let people = 0;
  beforeAll(async () => {
    world = await createWorld({ smtpUrl: "smtp://127.0.0.1:9" }, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const newUser = async () => {
    const name = `writer${(people += 1)}`;
    await world.newcomer(name);
    return await getUserByName(ctx, name);
  };
  const ask = (user: User, address: string) =>
    requestAddress(ctx, user, { address, password, language: "en", from: user.id });
  /** As the job does, when it sends the mail. */
  const link = async ({ id }: User) => {
    const pending = await findPending(ctx, id);
    if (pending === undefined) throw new Error("nothing waits");
    return (await makeConfirmLink(ctx, id, pending))?.replace("/confirm/", "") ?? "";
  };
  const addressOf = async ({ id }: User) => (await findAddress(ctx, id))?.address;

  it("a mail address is confirmed before the password changes or not at all, at whichever command", async () => {
    let isPaused = true;
    for (let commands = 0; isPaused; commands += 1) {
      isPaused = false;
      const user = await newUser();
      await ask(user, `thief${commands}@example.org`);
      const token = await link(user);
      let before: string | undefined;
      const paused = pausingAfter(ctx, commands, async () => {
        isPaused = true;
        before = await addressOf(user);
        await changePassword(ctx, user, { current: password, next: "another horse 43" });
      });
      const isConfirmed = await confirmAddress(paused, token).then(
        () => true,
        () => false,
      );
      expect([commands, await addressOf(user)]).toEqual([
        commands,
        isPaused ? before : `thief${commands}@example.org`,
      ]);
      expect(isConfirmed || isPaused).toBe(true);
    }
  });

  it("a mail address that was removed or replaced is not brought back by the job of its mail", async () => {
    const user = await newUser();
    await ask(user, "old@example.org");
    const old = await findPending(ctx, user.id);
    if (old === undefined) throw new Error("nothing waits");
    await ask(user, "new@example.org");
    expect(await makeConfirmLink(ctx, user.id, old)).toBeUndefined();
    expect((await findPending(ctx, user.id))?.address).toBe("new@example.org");
    await removeAddress(ctx, user.id);
    expect(await makeConfirmLink(ctx, user.id, old)).toBeUndefined();
    expect(await findPending(ctx, user.id)).toBeUndefined();
  });
});
