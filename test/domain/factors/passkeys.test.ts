import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addNewPasskey,
  askForNewPasskey,
  askForPasskey,
  checkPasskey,
} from "../../../src/domain/factors/ceremonies.ts";
import {
  findPasskey,
  listPasskeys,
  noteUse,
  removePasskey,
} from "../../../src/domain/factors/passkeys.ts";
import { logInByPasskey } from "../../../src/domain/factors/second-factor.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import type { User } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import { Authenticator, type Deviation } from "../../support/actors/authenticator.ts";
import { getViewer, newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const site = { id: "suzume.example", origin: "https://suzume.example", name: "Suzume" };
const wrong = "form: passkey.wrong";

describe("a passkey", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const newUser = async () =>
    (await getViewer(world.ctx, await newPerson(world.ctx))) as unknown as User;
  const add = async (user: User, deviation: Deviation = {}, passkey?: Authenticator) => {
    const own = passkey ?? new Authenticator(site.origin);
    const options = await askForNewPasskey(world.ctx, site, user);
    const answer = own.create(options, deviation);
    await addNewPasskey(world.ctx, site, user.id, { name: "Phone", answer });
    return own;
  };
  const answerOf = async (passkey: Authenticator, deviation: Deviation = {}) =>
    passkey.get(await askForPasskey(world.ctx, site, { act: "log-in" }), deviation);
  const logIn = async (passkey: Authenticator, deviation: Deviation = {}): Promise<UserId> => {
    const answer = await answerOf(passkey, deviation);
    return (await logInByPasskey(world.ctx, { passkey: answer, site })).user;
  };

  it("a passkey logs in its owner, and tells when", async () => {
    const user = await newUser();
    const passkey = await add(user);
    const [added] = await listPasskeys(world.ctx, user.id);
    expect(added).toMatchObject({ name: "Phone", counter: 0, usedAt: undefined });
    world.pass(1000);
    expect(await logIn(passkey)).toBe(user.id);
    const [used] = await listPasskeys(world.ctx, user.id);
    expect(used?.counter).toBe(1);
    expect(used?.usedAt).toBeGreaterThan(added?.createdAt ?? Infinity);
    expect(used?.createdAt).toBe(added?.createdAt);
    expect(await logIn(passkey)).toBe(user.id);
  });

  it("a passkey asks browsers for passkeys that log in alone and check who holds them", async () => {
    const user = await newUser();
    await add(user);
    const created = await askForNewPasskey(world.ctx, site, user);
    expect(created.authenticatorSelection).toMatchObject({
      residentKey: "required",
      userVerification: "required",
    });
    expect(created.excludeCredentials).toHaveLength(1);
    const asked = await askForPasskey(world.ctx, site, { act: "log-in" });
    expect(asked).toMatchObject({ rpId: site.id, userVerification: "required" });
    expect(asked.allowCredentials ?? []).toEqual([]);
    const confirming = { act: "confirm", user: user.id } as const;
    expect((await askForPasskey(world.ctx, site, confirming)).allowCredentials).toHaveLength(1);
  });

  it.each<[string, Deviation]>([
    ["of another origin", { origin: "https://suzume.example.evil.example" }],
    ["of another port", { origin: "https://suzume.example:8443" }],
    ["on plain http", { origin: "http://suzume.example" }],
    ["for another domain", { rpId: "evil.example" }],
    ["that did not check who holds it", { unverified: true }],
  ])("a passkey is refused with an answer %s, new or old", async (_what, deviation) => {
    const user = await newUser();
    await expect(add(user, deviation)).rejects.toThrow(wrong);
    expect(await listPasskeys(world.ctx, user.id)).toEqual([]);
    const passkey = await add(user);
    await expect(logIn(passkey, deviation)).rejects.toThrow(wrong);
    expect(await logIn(passkey)).toBe(user.id);
  });

  it("a passkey is refused once its counter goes back or stands still, as that of a copy does", async () => {
    const user = await newUser();
    const passkey = await add(user);
    expect(await logIn(passkey, { counter: 5 })).toBe(user.id);
    for (const counter of [5, 4, 0])
      await expect(logIn(passkey, { counter })).rejects.toThrow(wrong);
    expect(await logIn(passkey, { counter: 6 })).toBe(user.id);
  });

  it("a passkey that counts is used once at the same moment, as the other use may be that of a copy", async () => {
    const user = await newUser();
    const passkey = await add(user);
    const id = passkey.id.toString("base64url");
    /** Requests that all read it before the first of them stores its use. */
    const useAtOnce = async (counters: number[]) => {
      const found = await findPasskey(world.ctx, user.id, id);
      if (found === undefined) throw new Error("no passkey");
      return await Promise.all(
        counters.map((counter) => noteUse(world.ctx, user.id, found, counter)),
      );
    };
    expect((await useAtOnce([5, 6, 7])).filter(Boolean)).toHaveLength(1);
    expect(await useAtOnce([0, 0])).toEqual([true, true]);
  });

  it.each([true, false])(
    "a passkey is refused once it claims to be of another kind than before (synced: %j)",
    async (synced) => {
      const user = await newUser();
      const passkey = await add(user, { synced });
      expect(await listPasskeys(world.ctx, user.id)).toMatchObject([{ synced }]);
      await expect(logIn(passkey, { synced: !synced })).rejects.toThrow(wrong);
      expect(await logIn(passkey, { synced })).toBe(user.id);
    },
  );

  it("a passkey may be of a kind that never counts", async () => {
    const user = await newUser();
    const passkey = await add(user);
    for (const counter of [0, 0, 0]) expect(await logIn(passkey, { counter })).toBe(user.id);
  });

  it("a passkey answers once: the same answer again is refused", async () => {
    const passkey = await add(await newUser());
    const answer = await answerOf(passkey, { counter: 0 });
    await logInByPasskey(world.ctx, { passkey: answer, site });
    await expect(logInByPasskey(world.ctx, { passkey: answer, site })).rejects.toThrow(wrong);
  });

  it("a passkey is refused with a changed signature, another key, and a made up challenge", async () => {
    const user = await newUser();
    const passkey = await add(user);
    const answer = await answerOf(passkey);
    const bytes = Buffer.from(answer.response.signature, "base64url");
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const signature = bytes.toString("base64url");
    const changed = { ...answer, response: { ...answer.response, signature } };
    await expect(logInByPasskey(world.ctx, { passkey: changed, site })).rejects.toThrow(wrong);

    const stranger = new Authenticator(site.origin);
    const forged = { ...(await answerOf(stranger, { userHandle: passkey.userHandle })) };
    forged.id = passkey.id.toString("base64url");
    forged.rawId = forged.id;
    await expect(logInByPasskey(world.ctx, { passkey: forged, site })).rejects.toThrow(wrong);

    const challenge = Buffer.from("my own challenge").toString("base64url");
    const own = passkey.get({ challenge, rpId: site.id });
    await expect(logInByPasskey(world.ctx, { passkey: own, site })).rejects.toThrow(wrong);
    expect(await logIn(passkey)).toBe(user.id);
  });

  it("a passkey does not log in another user, whatever its user handle claims", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const passkey = await add(user);
    for (const id of [other.id, "999999", "", "1; DROP", "__proto__"]) {
      const userHandle = Buffer.from(id).toString("base64url");
      await expect(logIn(passkey, { userHandle })).rejects.toThrow(wrong);
    }
    await expect(logIn(passkey, { userHandle: undefined })).rejects.toThrow(wrong);
    const purpose = { act: "confirm", user: other.id } as const;
    const answer = passkey.get(await askForPasskey(world.ctx, site, purpose));
    await expect(checkPasskey(world.ctx, site, answer, purpose)).rejects.toThrow(wrong);
  });

  it("a passkey does not confirm with an answer for a log-in, nor the other way round", async () => {
    const user = await newUser();
    const passkey = await add(user);
    const confirming = { act: "confirm", user: user.id } as const;
    const forLogIn = await answerOf(passkey);
    await expect(checkPasskey(world.ctx, site, forLogIn, confirming)).rejects.toThrow(wrong);
    const toConfirm = passkey.get(await askForPasskey(world.ctx, site, confirming));
    await expect(logInByPasskey(world.ctx, { passkey: toConfirm, site })).rejects.toThrow(wrong);
  });

  it("a passkey is worth nothing once it was removed, at the same moment too", async () => {
    const user = await newUser();
    const passkey = await add(user);
    const answer = await answerOf(passkey);
    const found = await findPasskey(world.ctx, user.id, answer.id);
    await removePasskey(world.ctx, user.id, answer.id);
    // Another request had read it before.
    expect(found && (await noteUse(world.ctx, user.id, found, 1))).toBe(false);
    await expect(logInByPasskey(world.ctx, { passkey: answer, site })).rejects.toThrow(wrong);
    await expect(logIn(passkey)).rejects.toThrow(wrong);
    expect(await world.ctx.redis.exists(keys.passkeys(user.id))).toBe(0);
  });

  it("a passkey tells only its owner of a suspension", async () => {
    const user = await newUser();
    const passkey = await add(user);
    await suspendUser(world.ctx, user);
    await expect(logIn(passkey)).rejects.toThrow("account.suspended");
  });

  it("a passkey is added once, and twenty of them at the most", async () => {
    const user = await newUser();
    const passkey = await add(user);
    await expect(add(user, {}, passkey)).rejects.toThrow("passkey.known");
    for (let nth = 2; nth <= 18; nth += 1) await add(user);
    const late = await Promise.allSettled([add(user), add(user), add(user), add(user)]);
    expect(late.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await listPasskeys(world.ctx, user.id)).toHaveLength(20);
  });
});
