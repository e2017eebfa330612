import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { editProfile } from "../../../src/domain/users/settings.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the third column", () => {
  let world: World;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("carla");
    const ben = await world.newcomer("ben");
    await ben.follow("carla");
    await ben.tweet("Look at them #sparrows");
    ann = await world.newcomer("ann");
    await ann.follow("ben");
    await world.delivered();
    // Trends are counted once a minute.
    world.pass(61_000);
  });
  afterAll(() => world.close());

  it("the side column has search, trending tags and suggestions, on home, profiles, tweets, tags and search", async () => {
    for (const path of ["/", "/@ben", "/@ben/followers", "/tweets/1", "/tags/sparrows"]) {
      const side = await sideOn(ann, path);
      expect(side).toContain('role="search"');
      expect(side).toContain('href="/tags/sparrows"');
      expect(side).toContain("Who to follow");
      expect(side).toContain('action="/@carla/follow"');
    }
    expect(await sideOn(ann, "/search")).toContain('action="/@carla/follow"');
  });

  it("the side column offers the newest users to visitors", async () => {
    expect(await sideOn(world.visitor(), "/@ben")).toContain("New people");
  });

  it("the side column asks Redis for nothing on a warm page", async () => {
    await ann.get("/").expect(200);
    const reads = vi.spyOn(world.ctx.redis, "zrange").mock.calls;
    const before = reads.length;
    await ann.get("/notifications").expect(200);
    const asked = reads.slice(before).map(([key]) => String(key));
    expect(asked.filter((key) => /followings|newest|uses/.test(key))).toEqual([]);
    vi.restoreAllMocks();
  });

  it("the side column shows current names, and no suspended user, at once", async () => {
    const carla = await getUserByName(world.ctx, "carla");
    await editProfile(world.ctx, carla, { fullname: "Carla Anew", bio: "", website: "" });
    for (const visitor of [ann, world.visitor()])
      expect(await sideOn(visitor, "/@ben")).toContain("Carla Anew");
    await suspendUser(world.ctx, carla);
    for (const visitor of [ann, world.visitor()])
      expect(await sideOn(visitor, "/@ben")).not.toContain("carla");
    await reinstateUser(world.ctx, carla);
  });

  it("the side column leaves out followed and blocked users at once", async () => {
    await ann.follow("carla");
    expect(await sideOn(ann, "/@ben")).not.toContain('action="/@carla/follow"');
    await ann.unfollow("carla");
    expect(await sideOn(ann, "/@ben")).toContain('action="/@carla/follow"');
    await ann.post("/@carla/block").expect(303);
    expect(await sideOn(ann, "/@ben")).not.toContain("@carla");
  });
});

async function sideOn(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(path).expect(200);
  return /<aside class="side.*<\/aside>/s.exec(text)?.[0] ?? "";
}
