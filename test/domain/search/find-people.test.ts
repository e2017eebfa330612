import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { pageSize } from "../../../src/domain/page.ts";
import { findPeople } from "../../../src/domain/search/find-people.ts";
import { indexPerson } from "../../../src/domain/search/index-person.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { block } from "../../../src/domain/actions/block.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { getViewer, newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("finding people", () => {
  let world: World;
  let me: UserId;
  const people: { id: UserId; name: string }[] = [];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    me = await newPerson(world.ctx);
    for (let nth = 0; nth < pageSize + 20; nth += 1) {
      const name = `owl${String(nth).padStart(3, "0")}`;
      const id = await createUser(world.ctx, { name, fullname: name, pass: "none" });
      await indexPerson(world.ctx, id);
      people.push({ id, name });
    }
    // In alphabetical order the last.
    const id = await createUser(world.ctx, { name: "owl", fullname: "Zed Owlish", pass: "none" });
    await indexPerson(world.ctx, id);
    people.unshift({ id, name: "owl" });
  });
  afterAll(() => world.close());

  const everybody = { offset: 0, limit: 1000, following: false };
  async function find(typed: string, part: Partial<typeof everybody> = {}) {
    const viewer = await getViewer(world.ctx, me);
    const found = await findPeople(world.ctx, viewer, typed, { ...everybody, ...part });
    return found.map(({ name }) => name);
  }
  const names = () => people.map(({ name }) => name);

  it("a search for people finds all, each once, an exact name first", async () => {
    expect(await find("owl")).toEqual(names());
    expect(await find("OWL000")).toEqual(["owl000"]);
    expect(await find("zed")).toEqual(["owl"]);
    expect(await find("nobody")).toEqual([]);
  });

  it("a search for people returns parts", async () => {
    expect(await find("owl", { limit: 3 })).toEqual(names().slice(0, 3));
    expect(await find("owl", { offset: 55, limit: 10 })).toEqual(names().slice(55, 65));
    expect(await find("owl", { offset: 500 })).toEqual([]);
  });

  it("a search for people can be limited to followings, and never shows hidden users", async () => {
    const followed = people.filter((_, index) => index % 30 === 0);
    for (const { id } of followed) await follow(world.ctx, { follower: me, followee: id });
    expect(await find("owl", { following: true })).toEqual(followed.map(({ name }) => name));
    const [first] = followed;
    if (first !== undefined) await block(world.ctx, { blocker: me, blocked: first.id });
    expect(await find("owl", { following: true })).toEqual(
      followed.slice(1).map(({ name }) => name),
    );
    expect(await find("owl")).not.toContain("owl");
  });
});
