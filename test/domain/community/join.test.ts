import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  acceptApplicant,
  applicationsPage,
  findRefusal,
  refuseApplicant,
  join,
} from "../../../src/domain/community/join.ts";
import {
  findInvitation,
  listInvitations,
  makeInvitation,
  revokeInvitation,
} from "../../../src/domain/community/invitations.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { indexPerson } from "../../../src/domain/search/index-person.ts";
import { writeSite } from "../../../src/domain/site/settings.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { newestUsers } from "../../../src/domain/users/listed.ts";
import { findUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { endingAfter, pausingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const password = "a perfectly fine password";
const decision = { by: undefined, nonce: "form", note: "" };

/** One admin was faster. */
const tooLate = (error: unknown) => {
  if (!(error instanceof NotFound)) throw error;
};

describe("who may join", () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterEach(() => world.close());

  const joinAs = async (name: string, more: Partial<Parameters<typeof join>[1]> = {}) =>
    await join(world.ctx, {
      name,
      fullname: name,
      password,
      invitation: "",
      reason: "",
      agreed: false,
      ...more,
    });
  const invite = async (uses = 1, days = 7) =>
    await makeInvitation(world.ctx, undefined, { uses, days, note: "" });

  /** The entries of a user in the search, once its promised chore has run. */
  const indexedOf = async (user: UserId) => {
    await indexPerson(world.ctx, user);
    return await world.ctx.redis.zrange(keys.searchPeople("a"), 0, "-1");
  };

  it("a closed site admits no user, with an invitation or without", async () => {
    await writeSite(world.ctx, { signUp: "closed" });
    await expect(joinAs("ann")).rejects.toEqual(new Invalid({ form: "signup.closed" }));
    await expect(joinAs("ann", { invitation: await invite() })).rejects.toThrow(Invalid);
  });

  it("an invitation admits its number of users, however many come at once, and lists them", async () => {
    await writeSite(world.ctx, { signUp: "invite" });
    await expect(joinAs("ann")).rejects.toEqual(new Invalid({ form: "invitation.needed" }));
    const invitation = await invite(3);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, nth) => joinAs(`guest${nth}`, { invitation })),
    );
    const came = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value.user] : []));
    expect(came).toHaveLength(3);
    const [known] = await listInvitations(world.ctx, undefined);
    expect(known?.used).toBe(3);
    expect(known?.guests.toSorted()).toEqual(came.toSorted());
    expect(await findInvitation(world.ctx, invitation)).toBeUndefined();
  });

  it("a failed sign-up gives its invitation back", async () => {
    await writeSite(world.ctx, { signUp: "invite" });
    const invitation = await invite();
    await expect(joinAs("no spaces", { invitation })).rejects.toThrow(Invalid);
    expect((await joinAs("ann", { invitation })).isWaiting).toBe(false);
  });

  it("an invitation ends by time, by being revoked, and with the rights of its inviter", async () => {
    const { ctx } = world;
    await writeSite(ctx, { signUp: "invite", membersInvite: true });
    const member = await newPerson(ctx);
    const fromMember = await makeInvitation(ctx, member, {
      uses: 5,
      days: 1,
      note: "for the club",
    });
    expect((await findInvitation(ctx, fromMember))?.by).toBe(member);
    expect(await findInvitation({ ...ctx, now: () => ctx.now() + 86_400_001 }, fromMember)).toBe(
      undefined,
    );
    await writeSite(ctx, { membersInvite: false });
    await expect.poll(() => findInvitation(ctx, fromMember)).toBeUndefined();
    await writeSite(ctx, { membersInvite: true });
    await expect.poll(() => findInvitation(ctx, fromMember)).toBeDefined();
    const [known] = await listInvitations(ctx, member);
    await revokeInvitation(ctx, member, known?.digest ?? "");
    expect(await findInvitation(ctx, fromMember)).toBeUndefined();
  });

  it("the database does not hold the token of an invitation", async () => {
    const token = await invite();
    const stored = JSON.stringify(await world.ctx.redis.hgetall(keys.siteInvitations));
    expect(stored).not.toContain(token.split(".")[1]);
  });

  it("an applicant is shown nowhere and cannot log in until an admin accepts them", async () => {
    const { ctx } = world;
    await writeSite(ctx, { signUp: "approve" });
    await expect(joinAs("ann")).rejects.toEqual(new Invalid({ reason: "reason.empty" }));
    const { user, isWaiting } = await joinAs("ann", { reason: "I grow beans." });
    expect(isWaiting).toBe(true);
    expect((await findUserByName(ctx, "ann"))?.suspended).toBe(true);
    expect(await newestUsers(ctx, 10)).toEqual([]);
    const refused = logIn(ctx, { name: "ann", password });
    await expect(refused).rejects.toEqual(new Invalid({ form: "account.waiting" }));
    const { items } = await applicationsPage(ctx, { before: undefined, limit: 10 });
    expect(items).toMatchObject([{ user: { id: user }, reason: "I grow beans." }]);

    await acceptApplicant(ctx, decision, user);
    expect((await logIn(ctx, { name: "ann", password })).user).toBe(user);
    expect((await newestUsers(ctx, 10)).map(({ id }) => id)).toEqual([user]);
    expect((await applicationsPage(ctx, { before: undefined, limit: 10 })).items).toEqual([]);
  });

  it("a refused applicant reads why for a month, and their name is free afterwards", async () => {
    const { ctx } = world;
    await writeSite(ctx, { signUp: "approve" });
    const { user } = await joinAs("ann", { reason: "Let me in." });
    expect(await indexedOf(user)).toEqual([`ann ${user}`]);
    await refuseApplicant(ctx, { ...decision, note: "Only for gardeners." }, user);
    expect(await findRefusal(ctx, user)).toBe("Only for gardeners.");
    // Admins find applicants, but the entries of one who is declined would outlive the account.
    expect(await indexedOf(user)).toEqual([]);
    expect(await ctx.redis.exists(keys.indexedPerson(user))).toBe(0);
    await expect(logIn(ctx, { name: "ann", password })).rejects.toThrow(Invalid);
    for (const key of [keys.user(user), keys.username("ann")])
      expect(await ctx.redis.ttl(key)).toBeGreaterThan(29 * 86_400);
    await acceptApplicant(ctx, decision, user);
    expect(await indexedOf(user)).toEqual([`ann ${user}`]);
  });

  it("an applicant who was declined and then accepted is kept for good, wherever the process ends", async () => {
    await writeSite(world.ctx, { signUp: "approve" });
    const { ctx } = world;
    for (let commands = 0; commands < 12; commands += 1) {
      const name = `ann${commands}`;
      const { user } = await joinAs(name, { reason: "I grow beans." });
      await refuseApplicant(ctx, decision, user);
      await untilEnded(acceptApplicant(endingAfter(ctx, commands), decision, user));
      const isIn = (await findUserByName(ctx, name))?.waiting === false;
      if (!isIn) await acceptApplicant(ctx, decision, user);
      const ttls = [await ctx.redis.ttl(keys.user(user)), await ctx.redis.ttl(keys.username(name))];
      expect([name, ...ttls]).toEqual([name, -1, -1]);
      expect((await newestUsers(ctx, 20)).map(({ id }) => id)).toContain(user);
    }
  });

  it("an applicant whom two admins accept and decline at the same moment is in for good or declined", async () => {
    await writeSite(world.ctx, { signUp: "approve" });
    const { ctx } = world;
    for (let commands = 0; commands < 12; commands += 1) {
      const accept = async (one: typeof ctx, id: UserId) => acceptApplicant(one, decision, id);
      const decline = async (one: typeof ctx, id: UserId) => refuseApplicant(one, decision, id);
      for (const [nth, [slow, fast]] of [
        [accept, decline] as const,
        [decline, accept] as const,
      ].entries()) {
        const name = `bob${nth}_${commands}`;
        const { user } = await joinAs(name, { reason: "I grow beans." });
        const meanwhile = async () => fast(ctx, user).catch(tooLate);
        await slow(pausingAfter(ctx, commands, meanwhile), user).catch(tooLate);
        const isIn = (await findUserByName(ctx, name))?.waiting === false;
        const ttls = await Promise.all(
          [keys.user(user), keys.username(name)].map(async (key) => ctx.redis.ttl(key)),
        );
        expect([name, isIn, ...ttls.map((ttl) => ttl === -1)]).toEqual([name, isIn, isIn, isIn]);
        expect([name, (await findRefusal(ctx, user)) === undefined]).toEqual([name, isIn]);
      }
    }
  });

  it("the note of an invitation is one clean line", async () => {
    const note = `a\u202Eb\n${"x".repeat(200)}`;
    await makeInvitation(world.ctx, undefined, { uses: 1, days: 1, note });
    const [invitation] = await listInvitations(world.ctx, undefined);
    expect(invitation?.note).toBe(`ab ${"x".repeat(97)}`);
  });

  it("rules are accepted first, if there are any", async () => {
    await writeSite(world.ctx, { rules: "Be kind." });
    await expect(joinAs("ann")).rejects.toEqual(new Invalid({ agreed: "rules.unaccepted" }));
    expect((await joinAs("ann", { agreed: true })).isWaiting).toBe(false);
  });
});
