import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import {
  confirmAddress,
  findPending,
  getConfirmation,
  makeConfirmLink,
  removeAddress,
  requestAddress,
} from "../../../src/domain/accounts/confirm-mail.ts";
import {
  digestOfAddress,
  findAddress,
  findUsersByAddress,
  isAddress,
  reconcileAddress,
} from "../../../src/domain/accounts/mail.ts";
import { Invalid, NotFound, TooMany } from "../../../src/domain/errors.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { password } from "../../support/actors/visitor.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a mail address", () => {
  let world: World;
  let ctx: Ctx;
  let user: User;
  let people = 0;
  beforeAll(async () => {
    world = await createWorld({ smtpUrl: "smtp://127.0.0.1:9" }, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    user = await person();
  });

  async function person(): Promise<User> {
    const name = `writer${(people += 1)}`;
    await world.newcomer(name);
    return await getUserByName(ctx, name);
  }

  const ask = (address: string, by = user) =>
    requestAddress(ctx, by, { address, password, language: "en", from: by.id });
  /** As the job does, when it sends the mail. */
  const link = async (of = user) => {
    const pending = await findPending(ctx, of.id);
    if (pending === undefined) throw new Error("nothing waits");
    return (await makeConfirmLink(ctx, of.id, pending))?.replace("/confirm/", "") ?? "";
  };
  const addressOf = async (of = user) => (await findAddress(ctx, of.id))?.address;

  it("a mail address counts once it is confirmed, and not before", async () => {
    await ask(" Bird@Example.org ");
    expect(await addressOf()).toBeUndefined();
    expect(await findUsersByAddress(ctx, "bird@example.org")).toEqual([]);
    await confirmAddress(ctx, await link());
    expect(await addressOf()).toBe("Bird@Example.org");
    expect(await findUsersByAddress(ctx, "BIRD@example.org")).toEqual([user.id]);
    expect(await findPending(ctx, user.id)).toBeUndefined();
  });

  it("a new mail address needs the password, and an address that fits a header", async () => {
    const wrong = { address: "a@example.org", password: "wrong horse 1", language: "en", from: "" };
    await expect(requestAddress(ctx, user, wrong)).rejects.toMatchObject({
      problems: { password: "password.wrong" },
    });
    for (const address of ["", "bird", "bird@", "a@b@example.org", "a b@example.org", "雀@例"])
      await expect(ask(address)).rejects.toMatchObject({
        problems: { address: "address.format" },
      });
    expect(await findPending(ctx, user.id)).toBeUndefined();
  });

  it.each([
    "bird@example.org\r\nBcc: all@example.org",
    "bird@example.org\nSubject: mine",
    "bird@example.org\0",
    "bird@example.org,other@example.org",
    "<bird@example.org>",
    '"bird\r\nX: y"@example.org',
    "Bird <bird@example.org>",
    `${"b".repeat(250)}@example.org`,
  ])("a mail address is never %j, which would add to a mail's headers", (address) => {
    expect(isAddress(address)).toBe(false);
  });

  it("a mail address is confirmed by the newest link only, once", async () => {
    await ask("one@example.org");
    const first = await link();
    const second = await link();
    await expect(confirmAddress(ctx, first)).rejects.toThrow(NotFound);
    expect((await getConfirmation(ctx, second)).pending.address).toBe("one@example.org");
    await confirmAddress(ctx, second);
    await expect(confirmAddress(ctx, second)).rejects.toThrow(NotFound);
    await ask("two@example.org");
    const third = await link();
    await ask("three@example.org");
    await expect(confirmAddress(ctx, third)).rejects.toThrow(NotFound);
    expect(await addressOf()).toBe("one@example.org");
  });

  it("a confirmation link is stored only as a digest, and expires", async () => {
    await ask("one@example.org");
    const token = await link();
    const key = keys.mailPending(user.id);
    expect(await ctx.redis.get(key)).not.toContain(token.replace(/^\d+\./, ""));
    expect(await ctx.redis.ttl(key)).toBeGreaterThan(24 * 60 * 60 - 60);
    expect(await ctx.redis.ttl(key)).toBeLessThanOrEqual(24 * 60 * 60);
  });

  it("a password change ends the confirmation of a mail address, which a thief may have asked for", async () => {
    await ask("thief@example.org");
    const token = await link();
    await changePassword(ctx, user, { current: password, next: "another horse 43" });
    await expect(confirmAddress(ctx, token)).rejects.toThrow(NotFound);
    expect(await addressOf()).toBeUndefined();
  });

  it("a mail address may belong to several accounts, ten at most", async () => {
    const all: User[] = [];
    for (let nth = 0; nth < 11; nth += 1) {
      const one = await person();
      await ask("family@example.org", one);
      all.push(one);
    }
    const last = all.pop() as User;
    for (const one of all) await confirmAddress(ctx, await link(one));
    await expect(confirmAddress(ctx, await link(last))).rejects.toThrow(Invalid);
    const found = await findUsersByAddress(ctx, "family@example.org");
    expect(found.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  });

  it("removing and replacing a mail address updates its list of accounts", async () => {
    await ask("old@example.org");
    await confirmAddress(ctx, await link());
    await ask("new@example.org");
    await confirmAddress(ctx, await link());
    expect(await findUsersByAddress(ctx, "old@example.org")).toEqual([]);
    expect(await ctx.redis.exists(keys.mailUsers(digestOfAddress("old@example.org")))).toBe(0);
    await ask("waiting@example.org");
    const token = await link();
    await removeAddress(ctx, user.id);
    expect(await addressOf()).toBeUndefined();
    expect(await ctx.redis.exists(keys.mailUsers(digestOfAddress("new@example.org")))).toBe(0);
    await expect(confirmAddress(ctx, token)).rejects.toThrow(NotFound);
  });

  it("the list of a mail address matches the accounts after its job, wherever a process dies", async () => {
    const done = { whole: false };
    for (let commands = 0; !done.whole; commands += 1) {
      user = await person();
      const address = `half${commands}@example.org`;
      await ask(address);
      const token = await link();
      const dying = confirmAddress(endingAfter(ctx, commands), token);
      await untilEnded(dying.then(() => void (done.whole = true)));
      const isSet = (await addressOf()) === address;
      const digest = digestOfAddress(address);
      await reconcileAddress(ctx, { user: user.id, digest });
      const listed = await ctx.redis.zrange(keys.mailUsers(digest), 0, "-1");
      expect(listed).toEqual(isSet ? [user.id] : []);
    }
  });
});

describe("mails to confirm an address", () => {
  it("confirmation mails to one address are few, whichever account asks", async () => {
    const settings = { smtpUrl: "smtp://127.0.0.1:9", limits: { "mails:confirm": 2 } };
    const world = await createWorld(settings, { workers: false });
    const askAs = async (name: string, address: string) => {
      await world.newcomer(name);
      const user = await getUserByName(world.ctx, name);
      await requestAddress(world.ctx, user, { address, password, language: "en", from: name });
    };
    await askAs("ann", "flooded@example.org");
    await askAs("bea", "Flooded@Example.ORG");
    await expect(askAs("cy", "flooded@example.org")).rejects.toThrow(TooMany);
    await askAs("dan", "other@example.org");
    await world.close();
  });
});
