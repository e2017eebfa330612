import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block, unblock } from "../../../../src/domain/actions/block.ts";
import { indexPerson } from "../../../../src/domain/search/index-person.ts";
import { createUser } from "../../../../src/domain/users/sign-up.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("completions", () => {
  let world: World;
  let typist: Visitor;
  beforeAll(async () => {
    world = await createWorld();
    typist = await world.newcomer("typist");
    const people = ["ann", "anna", "annabel", "anne", "annette", "annika", "annual", "zoe_ann"];
    for (const name of people)
      await indexPerson(
        world.ctx,
        await createUser(world.ctx, { name, fullname: `鳥 <i>${name}</i>`, pass: "none" }),
      );
    await typist.tweet("#birds #Birdwatching #bread");
    await (await world.newcomer("other")).tweet("#birdwatching");
    await world.delivered();
    // Tags are counted once a minute.
    world.pass(61_000);
  });
  afterAll(() => world.close());

  async function complete(q: string, visitor = typist): Promise<string[]> {
    const path = `/search/completions?q=${encodeURIComponent(q)}`;
    const { text } = await visitor.get(path).expect(200);
    return [...text.matchAll(/role="option"[^>]* data-text="([^"]*)"/g)].map(
      ([, one]) => one ?? "",
    );
  }

  it("the beginning of a name is completed: the exact name first, then followings, six at most", async () => {
    expect(await complete("@ann")).toEqual([
      "@ann",
      "@anna",
      "@annabel",
      "@anne",
      "@annette",
      "@annika",
    ]);
    await typist.follow("annual");
    expect(await complete("@ann")).toEqual([
      "@ann",
      "@annual",
      "@anna",
      "@annabel",
      "@anne",
      "@annette",
    ]);
    expect(await complete("＠ANNI")).toEqual(["@annika"]);
    expect(await complete("@<i>annik")).toEqual(["@annika"]);
    expect(await complete("@鳥")).toHaveLength(6);
  });

  it("the beginning of a tag is completed with the tags of the day, the most used first", async () => {
    expect(await complete("#b")).toEqual(["#birdwatching", "#bread", "#birds"]);
    expect(await complete("＃BIRDS")).toEqual(["#birds"]);
    expect(await complete("#unheard")).toEqual([]);
  });

  it.each(["", "ann", "@", "#", "@ ", "#1", "@!", `@${"a".repeat(99)}`, "@ann\nb"])(
    "nothing completes %j",
    async (q) => {
      expect(await complete(q)).toEqual([]);
    },
  );

  it("completions do not tell of people who are hidden from the viewer", async () => {
    const viewer = await getUserByName(world.ctx, "typist");
    const anne = await getUserByName(world.ctx, "anne");
    await block(world.ctx, { blocker: anne.id, blocked: viewer.id });
    expect(await complete("@anne")).toEqual(["@annette"]);
    await unblock(world.ctx, { blocker: anne.id, blocked: viewer.id });
    await block(world.ctx, { blocker: viewer.id, blocked: anne.id });
    expect(await complete("@anne")).toEqual(["@annette"]);
    expect(await complete("@anne", world.visitor())).toEqual(["@anne", "@annette"]);
    await world.ctx.redis.hset(keys.user(anne.id), "suspended_at", 1);
    expect(await complete("@anne", world.visitor())).toEqual(["@annette"]);
  });

  it("completions escape what users are called", async () => {
    const { text } = await typist.get("/search/completions?q=%40annika").expect(200);
    expect(text).toContain("&lt;i&gt;annika&lt;/i&gt;");
    expect(text).not.toContain("<i>");
    expect(text).not.toContain("<html");
  });

  it("completions are limited, two as one search", async () => {
    const strict = await createWorld(
      { limits: { "searches:address": 2.5 }, limitFactor: 1 },
      { workers: false },
    );
    try {
      await strict.visitor().get("/search?q=a").expect(200);
      for (let nth = 0; nth < 3; nth += 1)
        await strict.visitor().get("/search/completions?q=%40a").expect(200);
      await strict.visitor().get("/search/completions?q=%40a").expect(429);
    } finally {
      await strict.close();
    }
  });
});
