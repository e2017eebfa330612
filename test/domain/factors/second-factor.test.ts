import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import {
  awaitSecondFactor,
  findSecondFactor,
  useSecondFactor,
} from "../../../src/domain/factors/second-factor.ts";
import { closeAllSessions } from "../../../src/domain/users/sessions.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { password } from "../../support/actors/visitor.ts";
import { dump } from "../../support/world/dump.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a log-in that waits for its second factor", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const begin = async (user = newPerson(world.ctx), next = "/explore") =>
    await awaitSecondFactor(world.ctx, { user: await user, generation: "" }, next);
  const find = async (token: string) => await findSecondFactor(world.ctx, token);

  it("a log-in that waits for its second factor remembers whose it is and where it leads", async () => {
    const user = await newPerson(world.ctx);
    const token = await begin(Promise.resolve(user));
    const logIn = { user, generation: "" };
    expect(await find(token)).toMatchObject({ logIn, next: "/explore" });
  });

  it("a log-in that waits for its second factor is stored as a digest", async () => {
    const token = await begin();
    const [, random = ""] = token.split(".");
    expect(random).toHaveLength(43);
    expect(JSON.stringify([...(await dump(world.ctx))])).not.toContain(random);
  });

  it("a log-in that waits for its second factor is found by its own token only", async () => {
    const token = await begin();
    const other = await newPerson(world.ctx);
    const [user = "", random = ""] = token.split(".");
    const wrong = ["", "1", "1.", `${token}x`, token.slice(0, -1), `${other}.${random}`];
    wrong.push(`${user}.${"A".repeat(43)}`, `${user}.${random.toLowerCase()}`);
    for (const text of wrong) expect([text, await find(text)]).toEqual([text, undefined]);
  });

  it("a log-in that waits for its second factor ends after ten minutes", async () => {
    const user = await newPerson(world.ctx);
    const token = await begin(Promise.resolve(user));
    expect(await world.ctx.redis.ttl(keys.pendingSecondFactors(user))).toBeLessThanOrEqual(600);
    world.pass(540_000);
    expect(await find(token)).toBeDefined();
    // Another one renews the key, but not the first one.
    await begin(Promise.resolve(user));
    world.pass(61_000);
    expect(await find(token)).toBeUndefined();
  });

  it("a log-in that waits for its second factor is used once, however many come at the same moment", async () => {
    const waiting = await find(await begin());
    if (waiting === undefined) throw new Error("none");
    const uses = await Promise.all(
      Array.from({ length: 10 }, () => useSecondFactor(world.ctx, waiting)),
    );
    expect(uses.filter(Boolean)).toHaveLength(1);
  });

  it("a log-in that waits for its second factor is dropped for newer ones: a user has ten at the most", async () => {
    const user = newPerson(world.ctx);
    const first = await begin(user);
    for (let nth = 0; nth < 10; nth += 1) {
      world.pass(10);
      await begin(user);
    }
    expect(await find(first)).toBeUndefined();
    expect(await world.ctx.redis.hlen(keys.pendingSecondFactors(await user))).toBe(10);
  });

  it("a log-in that waits for its second factor ends with a change of the password, and with the sessions on all other devices", async () => {
    await world.newcomer("halfway");
    const user = await getUserByName(world.ctx, "halfway");
    const first = await begin(Promise.resolve(user.id));
    await closeAllSessions(world.ctx, user.id, "kept");
    expect(await find(first)).toBeUndefined();
    const second = await begin(Promise.resolve(user.id));
    await changePassword(world.ctx, user, { current: password, next: "another horse 43" });
    expect(await find(second)).toBeUndefined();
  });
});
