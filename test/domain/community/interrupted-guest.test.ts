import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import {
  findInvitation,
  listInvitations,
  makeInvitation,
  revokeInvitation,
} from "../../../src/domain/community/invitations.ts";
import { join } from "../../../src/domain/community/join.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import { Invalid } from "../../../src/domain/errors.ts";
import { readingDeadline, recorded } from "../../../src/domain/scope.ts";
import { findUserByName } from "../../../src/domain/users/store.ts";
import { mostOf } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { pausingAfter, pausingBefore } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const form = {
  fullname: "Ann",
  password: "a perfectly fine password",
  reason: "",
  agreed: false,
};
/** Commands that read the invitation and take its use: when they fail, nothing was taken. */
const before = 3;

describe("a sign-up with an invitation that is interrupted", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  const invite = async () =>
    await makeInvitation(ctx, undefined, { uses: 1, days: 7, note: "", nonce: undefined });

  it("an invitation is used exactly if its guest has an account, whichever command fails once", async () => {
    let hasFailed = true;
    let count = 0;
    for (let commands = before; hasFailed; commands += 1) {
      hasFailed = false;
      const invitation = await invite();
      const flaky = pausingAfter(ctx, commands, async () => {
        hasFailed = true;
        throw new Error("Command timed out");
      });
      const name = `guest${commands}`;
      await join(flaky, { ...form, name, invitation }).catch(() => undefined);
      const guest = await findUserByName(ctx, name);
      const open = await findInvitation(ctx, invitation);
      expect([commands, open === undefined]).toEqual([commands, guest !== undefined]);
      // Else there would be too many open ones.
      for (const { digest } of await listInvitations(ctx, undefined))
        await revokeInvitation(ctx, undefined, digest);
      world.pass(1000);
      count += 1;
    }
    expect(count).toBeGreaterThan(5);
    const [last] = await listInvitations(ctx, undefined);
    expect(last?.guests).toHaveLength(1);
  });

  it("of two invitations for the last room one is made, and the other is refused", async () => {
    const inviter = await newPerson(ctx);
    const input = { uses: 1, days: 7, note: "" };
    const kept = mostOf("invitations") / 2;
    for (let nth = 0; nth < kept; nth += 1) await makeInvitation(ctx, inviter, input);
    for (const { digest } of await listInvitations(ctx, inviter))
      await revokeInvitation(ctx, inviter, digest);
    for (let nth = 1; nth < kept; nth += 1) await makeInvitation(ctx, inviter, input);
    const slow = pausingBefore(ctx, ["addField"], () => makeInvitation(ctx, inviter, input));
    const full = new Invalid({ form: "invitation.many" });
    await expect(makeInvitation(slow, inviter, input)).rejects.toEqual(full);
    const open = (await listInvitations(ctx, inviter)).filter(({ revoked }) => !revoked);
    expect(open).toHaveLength(kept);
  });

  it("a sign-up that is too late gives its invitation back", async () => {
    const invitation = await invite();
    const deadline = { ...readingDeadline(), writes: true };
    const late = pausingBefore(ctx, ["createHash"], async () => {
      deadline.passed = true;
    });
    const joining = async () =>
      await join(contextWithDeadlines(late), { ...form, name: "late", invitation });
    await expect(recorded(undefined, joining, deadline)).rejects.toThrow("deadline");
    expect(await findInvitation(ctx, invitation)).toBeDefined();
  });
});
