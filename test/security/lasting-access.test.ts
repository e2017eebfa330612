import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { allowApp, codes } from "../../src/domain/apps/authorize.ts";
import { registerApp } from "../../src/domain/apps/store.ts";
import { addNewPasskey, askForNewPasskey } from "../../src/domain/factors/ceremonies.ts";
import {
  countRecoveryCodes,
  findTotp,
  findTotpSetup,
  makeRecoveryCodes,
  startTotp,
  totpSeal,
  turnOnTotp,
} from "../../src/domain/factors/codes.ts";
import { listPasskeys } from "../../src/domain/factors/passkeys.ts";
import { giveRole } from "../../src/domain/moderation/accounts.ts";
import { readingDeadline, recorded } from "../../src/domain/scope.ts";
import { holdRight } from "../../src/domain/users/roles.ts";
import { closeAllSessions, isListed, openSession } from "../../src/domain/users/sessions.ts";
import { readUser, type User } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { Authenticator } from "../support/actors/authenticator.ts";
import { asAnotherRequest } from "../support/actors/author.ts";
import { codeOf } from "../support/actors/factors.ts";
import { newPerson } from "../support/actors/people.ts";
import { pausingAfter } from "../support/world/ending-process.ts";
import { createWorld, secret, type World } from "../support/world/world.ts";

const session = "session-of-the-viewer";
const site = { id: "suzume.example", origin: "https://suzume.example", name: "Suzume" };
const redirectUri = "https://app.example/callback";

/** What a verb gives, and whether it is given. */
interface Gift {
  give: (ctx: Ctx) => Promise<unknown>;
  isGiven: () => Promise<boolean>;
}

describe("lasting access and a right that ends meanwhile", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const userOf = async (id: User["id"]) => (await readUser(world.ctx, id)) as User;
  const newViewer = async (role?: "admin") => {
    const id = await newPerson(world.ctx);
    await openSession(world.ctx, id, session);
    if (role !== undefined) await world.ctx.redis.setField(keys.user(id), "role", role);
    return await userOf(id);
  };

  /** The error of work that a request does for its viewer, if there is one. */
  const errorOf = async (ctx: Ctx, viewer: User, work: () => Promise<unknown>) =>
    await recorded(
      undefined,
      async () => {
        const isOpen = () => isListed(world.ctx, viewer.id, session);
        holdRight(ctx, viewer, { holder: "device:one", isOpen });
        await work();
      },
      { ...readingDeadline(), writes: true },
    ).catch((error: unknown) => error);

  /** Gives again and again, and ends the right before each of its commands in turn. */
  const expectInTime = async (
    newGift: () => Promise<Gift & { viewer: User }>,
    end: (viewer: User) => Promise<unknown>,
  ): Promise<void> => {
    let isPaused = true;
    for (let commands = 0; isPaused; commands += 1) {
      isPaused = false;
      let before = false;
      const { viewer, give, isGiven } = await newGift();
      const ending = async () => {
        isPaused = true;
        before = await isGiven();
        await end(viewer);
      };
      const paused = pausingAfter(world.ctx, commands, () => asAnotherRequest(ending));
      const error = await errorOf(paused, viewer, () => give(paused));
      const after = await isGiven();
      if (!isPaused) expect([error, after]).toEqual([undefined, true]);
      else if (!before) expect([commands, after]).toEqual([commands, false]);
    }
  };

  const gifts: Record<string, (viewer: User) => Promise<Gift>> = {
    "a passkey": async (viewer) => {
      const answer = new Authenticator(site.origin).create(
        await askForNewPasskey(world.ctx, site, viewer),
      );
      return {
        give: (ctx) => addNewPasskey(ctx, site, viewer.id, { name: "Phone", answer }),
        isGiven: async () => (await listPasskeys(world.ctx, viewer.id)).length > 0,
      };
    },
    "a set of recovery codes": async (viewer) => ({
      give: (ctx) => makeRecoveryCodes(ctx, viewer),
      isGiven: async () => (await countRecoveryCodes(world.ctx, viewer)) > 0,
    }),
    "an authenticator app": async (viewer) => {
      const seal = totpSeal(secret);
      await startTotp(world.ctx, seal, viewer.id);
      const setup = await findTotpSetup(world.ctx, seal, viewer, "suzume.example");
      const code = await codeOf(setup?.secret ?? "", world.ctx.now());
      return {
        give: (ctx) => turnOnTotp(ctx, seal, viewer.id, code),
        isGiven: async () => (await findTotp(world.ctx, viewer.id)) !== undefined,
      };
    },
    "a code for an app": async ({ id: user, generation }) => {
      const about = { name: "Birdwatch", redirectUris: [redirectUri], website: "" };
      const { app } = await registerApp(world.ctx, { ...about, scopes: "read" });
      const consent = { app: app.client, redirectUri, scopes: "read", challenge: undefined };
      return {
        give: (ctx) => allowApp(ctx, { user, generation }, consent),
        isGiven: async () => (await codes.of(world.ctx, user).list()).length > 0,
      };
    },
  };

  it.each(Object.entries(gifts))(
    "%s is given before the end of the session or not at all, at whichever command that comes between",
    async (_, giftFor) => {
      const newGift = async () => {
        const viewer = await newViewer();
        return { viewer, ...(await giftFor(viewer)) };
      };
      await expectInTime(newGift, ({ id }) => closeAllSessions(world.ctx, id));
    },
  );

  it("an admin who loses the role gives none, at whichever command that comes between", async () => {
    const role = "admin";
    const newGift = async () => {
      const viewer = await newViewer(role);
      const friend = await userOf(await newPerson(world.ctx));
      return {
        viewer,
        give: (ctx: Ctx) => giveRole(ctx, { by: viewer.id, note: "" }, friend, role),
        isGiven: async () => (await userOf(friend.id)).role === role,
      };
    };
    await expectInTime(newGift, ({ id }) => world.ctx.redis.hdel(keys.user(id), "role"));
  });

  it("an admin may give the own role away", async () => {
    const viewer = await newViewer("admin");
    const other = await newViewer("admin");
    await giveRole(world.ctx, { by: undefined, note: "" }, other, "admin");
    const decision = { by: viewer.id, note: "" };
    const error = await errorOf(world.ctx, viewer, () => giveRole(world.ctx, decision, viewer, ""));
    expect([error, (await userOf(viewer.id)).role]).toEqual([undefined, ""]);
  });
});
