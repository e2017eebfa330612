import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changePassword } from "../../../src/domain/accounts/change-password.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { getUserByName, type User } from "../../../src/domain/users/store.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("changing a password", () => {
  let world: World;
  let user: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("changer1");
    user = await getUserByName(world.ctx, "changer1");
  });
  afterAll(() => world.close());

  const change = (current: string, next: string) =>
    changePassword(world.ctx, user, { current, next });

  it("changing a password requires the current one, and checks the new one like a first one", async () => {
    const wrong = { current_password: "password.wrong" };
    await expect(change("not it", "good enough 1")).rejects.toMatchObject({ problems: wrong });
    for (const [next, problem] of [
      ["雀".repeat(25), "password.long"],
      ["short", "password.short"],
      ["password1", "password.common"],
      ["CHANGER1", "password.name"],
      ["good enough\0", "password.nul"],
    ] as const)
      await expect(change(password, next)).rejects.toMatchObject({
        problems: { new_password: problem },
      });
    const { user: admitted } = await logIn(world.ctx, { name: "changer1", password });
    expect(admitted).toBe(user.id);
  });

  it("a changed password no longer opens the account", async () => {
    await change(password, "a new horse 43");
    await expect(logIn(world.ctx, { name: "changer1", password })).rejects.toThrow("credentials");
    const fresh = { name: "changer1", password: "a new horse 43" };
    expect((await logIn(world.ctx, fresh)).user).toBe(user.id);
  });
});
