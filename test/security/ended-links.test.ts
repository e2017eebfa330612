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
import { digestOfAddress, findAddress } from "../../src/domain/accounts/mail.ts";
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
import { deliverMail } from "../../src/mail/deliver.ts";
import { keys } from "../../src/redis/keys.ts";
import { MailScene, origin } from "../mail/mail-scene.ts";
import { password } from "../support/actors/visitor.ts";
import { pausingAfter } from "../support/world/ending-process.ts";
import { linkIn, type MailServer } from "../support/world/mail-server.ts";
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

describe("links in mails that end before they are used", () => {
  const scene = new MailScene();
  let server: MailServer;
  let world: World;
  let ctx: Ctx;
  let people = 0;
  beforeAll(async () => {
    server = await scene.server();
    world = await scene.world({ smtpUrl: server.url }, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => scene.end());

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
  const setAddress = async (user: User, address: string) => {
    await ask(user, address);
    await confirmAddress(ctx, await link(user));
  };
  const leave = {
    replaced: (user: User) => setAddress(user, `new${user.id}@example.org`),
    removed: (user: User) => removeAddress(ctx, user.id),
  };
  const ways = Object.keys(leave) as (keyof typeof leave)[];

  it.each(ways)("a mailed link to a new password ends when its address is %s", async (how) => {
    const address = `${how}@example.org`;
    const user = await newUser();
    await setAddress(user, address);
    await deliverMail(ctx, { kind: "reset", user: user.id });
    const token = tokenIn(linkIn(await server.mailTo(address), origin));
    expect((await getResetLink(ctx, token)).user.id).toBe(user.id);
    await leave[how](user);
    await expect(getResetLink(ctx, token)).rejects.toThrow(NotFound);
    await expect(useResetLink(ctx, token, fresh)).rejects.toThrow(NotFound);
  });

  it.each(ways)(
    "a mailed link sets the password before its address is %s or not at all, at whichever command",
    async (how) => {
      let isPaused = true;
      for (let commands = 0; isPaused; commands += 1) {
        isPaused = false;
        const address = `old${commands}@example.org`;
        const user = await newUser();
        await setAddress(user, address);
        const mail = digestOfAddress(address);
        const token = tokenIn(await makeResetLink(ctx, user, { mail }));
        const hashOf = async () => (await findCredentials(ctx, user.id))?.hash;
        let before: string | undefined;
        const paused = pausingAfter(ctx, commands, async () => {
          isPaused = true;
          before = await hashOf();
          // Refused once the password is set, as it asks for the new one.
          await leave[how](user).catch(() => undefined);
        });
        await useResetLink(paused, token, fresh).catch(() => undefined);
        if (!isPaused) continue;
        expect([commands, await hashOf()]).toEqual([commands, before]);
      }
    },
  );
});
