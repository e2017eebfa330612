import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import {
  checkTotp,
  findTotp,
  findTotpSetup,
  startTotp,
  totpSeal,
  turnOffTotp,
  turnOnTotp,
} from "../../../src/domain/factors/codes.ts";
import { keys } from "../../../src/redis/keys.ts";
import { codeOf } from "../../support/actors/factors.ts";
import { newPerson } from "../../support/actors/people.ts";
import { dump } from "../../support/world/dump.ts";
import { createWorld, secret as siteSecret, type World } from "../../support/world/world.ts";

describe("an authenticator app", () => {
  const seal = totpSeal(siteSecret);
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const now = () => world.ctx.now();
  const setUp = async (id: UserId) => {
    await startTotp(world.ctx, seal, id);
    const setup = await findTotpSetup(world.ctx, seal, { id, name: "bird" }, "suzume.example");
    if (setup === undefined) throw new Error("no key");
    return setup;
  };
  /** On since two minutes, so that no code of these moments is used up. */
  const turnOn = async (id: UserId) => {
    const { secret } = await setUp(id);
    await turnOnTotp(world.ctx, seal, id, await codeOf(secret, now()));
    world.pass(120_000);
    return secret;
  };
  const check = async (id: UserId, code: string) => await checkTotp(world.ctx, seal, id, code);

  it("an authenticator app is on once it has shown its code", async () => {
    const id = await newPerson(world.ctx);
    const { secret, uri } = await setUp(id);
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain("suzume.example");
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const wrong = await codeOf(secret, now(), 10);
    await expect(turnOnTotp(world.ctx, seal, id, wrong)).rejects.toThrow("code: factor.wrong");
    expect(await findTotp(world.ctx, id)).toBeUndefined();
    await turnOnTotp(world.ctx, seal, id, await codeOf(secret, now()));
    expect(await findTotp(world.ctx, id)).toBeGreaterThan(0);
    await expect(startTotp(world.ctx, seal, id)).rejects.toThrow("totp.on");
  });

  it("an authenticator app has a key that Redis knows sealed only, bound to its user", async () => {
    const id = await newPerson(world.ctx);
    const { secret: shown } = await setUp(id);
    expect(JSON.stringify([...(await dump(world.ctx))])).not.toContain(shown);
    await turnOnTotp(world.ctx, seal, id, await codeOf(shown, now()));
    expect(JSON.stringify([...(await dump(world.ctx))])).not.toContain(shown);
    const sealed = (await world.ctx.redis.hget(keys.totp(id), "secret")) ?? "";
    expect(seal.open(sealed, id)).toBe(shown);
    const other = await newPerson(world.ctx);
    await world.ctx.redis.hset(keys.totp(other), "secret", sealed);
    expect(await check(other, await codeOf(shown, now(), 1))).toBe(false);
  });

  it("an authenticator app gives a quarter of an hour to be set up", async () => {
    const id = await newPerson(world.ctx);
    const { secret } = await setUp(id);
    const life = await world.ctx.redis.ttl(keys.totpSetup(id));
    expect(life).toBeGreaterThan(890);
    expect(life).toBeLessThanOrEqual(900);
    await world.ctx.redis.del(keys.totpSetup(id));
    const late = turnOnTotp(world.ctx, seal, id, await codeOf(secret, now()));
    await expect(late).rejects.toThrow("totp.expired");
  });

  it("an authenticator app may be 30 seconds early or late, and no more", async () => {
    await world.atOneMoment(async () => {
      for (const steps of [-2, -1, 0, 1, 2]) {
        const id = await newPerson(world.ctx);
        const secret = await turnOn(id);
        const checked = await check(id, await codeOf(secret, now(), steps));
        expect([steps, checked]).toEqual([steps, Math.abs(steps) <= 1]);
      }
    });
  });

  it("an authenticator app has codes that are good once", async () => {
    const id = await newPerson(world.ctx);
    const secret = await turnOn(id);
    const code = await codeOf(secret, now());
    expect(await check(id, code)).toBe(true);
    expect(await check(id, code)).toBe(false);
    expect(await check(id, await codeOf(secret, now(), -1))).toBe(false);
    expect(await check(id, await codeOf(secret, now(), 1))).toBe(true);
  });

  it("an authenticator app has codes that are good once, however many come with one at the same moment", async () => {
    const id = await newPerson(world.ctx);
    const secret = await turnOn(id);
    const code = await codeOf(secret, now());
    const results = await Promise.all(Array.from({ length: 20 }, () => check(id, code)));
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it("an authenticator app takes the code that turned it on for used", async () => {
    const id = await newPerson(world.ctx);
    const { secret } = await setUp(id);
    const code = await codeOf(secret, now());
    await turnOnTotp(world.ctx, seal, id, code);
    expect(await check(id, code)).toBe(false);
  });

  it("an authenticator app lets nothing through that is no code, nor after it was turned off", async () => {
    const id = await newPerson(world.ctx);
    const secret = await turnOn(id);
    for (const text of ["", "12345", "1234567", "abcdef", "１２３４５６", secret])
      expect([text, await check(id, text)]).toEqual([text, false]);
    await turnOffTotp(world.ctx, id);
    expect(await findTotp(world.ctx, id)).toBeUndefined();
    expect(await check(id, await codeOf(secret, now()))).toBe(false);
    expect(await world.ctx.redis.exists(keys.totp(id))).toBe(0);
  });

  it("an authenticator app is refused, and said in the log, once SESSION_SECRET is another", async () => {
    const id = await newPerson(world.ctx);
    const secret = await turnOn(id);
    const other = totpSeal("another secret of the site, long enough too");
    expect(await checkTotp(world.ctx, other, id, await codeOf(secret, now()))).toBe(false);
    expect(world.logged.join("")).toContain("another SESSION_SECRET?");
  });
});
