import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { editProfile } from "../../../src/domain/users/settings.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the third column", () => {
  let world: World;
  let ann: Visitor;
  let ben: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    await world.newcomer("carla");
    ben = await world.newcomer("ben");
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

  it("who was asked to be followed is no suggestion any more", async () => {
    const carla = world.visitor();
    await carla.logIn("carla");
    const choices = { audience: "public", repliesFrom: "everyone", messagesFrom: "everyone" };
    await carla.post("/settings/privacy", { ...choices, protected: "on" }).expect(303);
    world.pass(61_000);
    expect(await sideOn(ann, "/tags/sparrows")).toContain('action="/@carla/follow"');
    await ann.post("/@carla/follow").expect(303);
    expect(await sideOn(ann, "/tags/sparrows")).not.toContain("@carla");
    await ann.post("/@carla/unfollow").expect(303);
    await carla.post("/settings/privacy", choices).expect(303);
    world.pass(61_000);
    expect(await sideOn(ann, "/tags/sparrows")).toContain('action="/@carla/follow"');
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
    const visitor = world.visitor();
    const sides = async () => [...(await sidesOn(ann)), ...(await sidesOn(visitor))];
    for (const side of await sides()) expect(side).toContain("Carla Anew");
    await suspendUser(world.ctx, carla);
    for (const side of await sides()) expect(side).not.toContain("carla");
    await reinstateUser(world.ctx, carla);
  });

  it("the side column has other trends after a minute", async () => {
    await ben.tweet("Look at them #wagtails");
    await world.delivered();
    await sidesOn(ann);
    world.pass(61_000);
    for (const side of await sidesOn(ann)) expect(side).toContain('href="/tags/wagtails"');
  });

  it("the side column leaves out followed, muted and blocked users at once", async () => {
    const button = 'action="/@carla/follow"';
    await ann.follow("carla");
    for (const side of await sidesOn(ann)) expect(side).not.toContain(button);
    await ann.unfollow("carla");
    for (const side of await sidesOn(ann)) expect(side).toContain(button);
    await ann.post("/@carla/mute").expect(303);
    for (const side of await sidesOn(ann)) expect(side).not.toContain("@carla");
    await ann.post("/@carla/unmute").expect(303);
    for (const side of await sidesOn(ann)) expect(side).toContain(button);
    await ann.post("/@carla/block").expect(303);
    for (const side of await sidesOn(ann)) expect(side).not.toContain("@carla");
  });
});

/** On pages that keep it for the next time that they are made, and one that does not. */
async function sidesOn(visitor: Visitor): Promise<string[]> {
  const paths = ["/tags/sparrows", "/tweets/1", "/@ben"];
  return await Promise.all(paths.map(async (path) => await sideOn(visitor, path)));
}

async function sideOn(visitor: Visitor, path: string): Promise<string> {
  const { text } = await visitor.get(path).expect(200);
  return /<aside class="side.*<\/aside>/s.exec(text)?.[0] ?? "";
}
