import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { required } from "../../../src/domain/errors.ts";
import { tweetId } from "../../../src/domain/ids.ts";
import { findUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("an error page", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("an error page shows nothing of a defect except its log number", async () => {
    await world.ctx.redis.set(keys.tweet(tweetId(7)), "what no tweet is");
    const person = await world.newcomer("finder");
    const { text } = await person.get("/tweets/7").expect(500);
    expect(text).toContain("Something went wrong");
    expect(text).not.toMatch(/WRONGTYPE|hmget|ReplyError|node_modules|\.ts:\d|\n +at /);
    const id = /<code>([\da-f-]{36})<\/code>/.exec(text)?.[1] ?? "no id";
    const lines = world.logged.filter((line) => line.includes(id));
    expect(lines.join("")).toContain("WRONGTYPE");
  });

  it("an error page has a number for each request, which clients cannot choose", async () => {
    const ids = new Set<string>();
    for (let time = 1; time <= 3; time += 1) {
      const { text } = await world.visitor().get("/nowhere").set("X-Request-Id", "chosen");
      ids.add(/<code>([\da-f-]{36})</.exec(text)?.[1] ?? "");
    }
    expect(ids.size).toBe(3);
    expect([...ids]).not.toContain("");
  });

  it("after a refused form the error page comes without numbers in its navigation, if these cannot be read", async () => {
    const person = await world.newcomer("counted");
    const { id } = required(await findUserByName(world.ctx, "counted"), "user");
    await world.ctx.redis.set(keys.notifications(id), "what no list is");
    const { text } = await person.post("/tweets/999999/like").expect(404);
    expect(text).toContain("Nothing here");
  });

  it("every missing page looks the same", async () => {
    for (const path of ["/tweets/1", "/tweets/0", "/tweets/x", "/@nobody", "/@no body", "/x/y"]) {
      const { text } = await world.visitor().get(encodeURI(path)).expect(404);
      expect(text).toContain("Nothing here");
    }
  });

  it("an error page leads to the log-in page where a user is required", async () => {
    const doors: [string, Record<string, string>][] = [
      ["/tweets", { text: "x" }],
      ["/tweets", {}],
      ["/tweets/1/delete", {}],
      ["/tweets/1/edit", {}],
      ["/tweets/1/vote", {}],
      ["/drafts", {}],
      ["/drafts/1", {}],
      ["/messages/1-2", {}],
      ["/lists", {}],
      ["/@finder/follow", {}],
      ["/@finder/unfollow", {}],
      ["/settings/profile", {}],
      ["/settings/profile", { fullname: "x", bio: "x" }],
      ["/settings/account", {}],
      ["/settings/account", { current_password: "x", new_password: "x" }],
      ["/settings/sessions", {}],
    ];
    for (const [path, fields] of doors) {
      const { status, headers } = await world.visitor().post(path, fields);
      expect([path, status, headers["location"]]).toEqual([path, 303, "/login?next=%2F"]);
    }
    const away = await world.visitor().post("/@finder/follow", { next: "//evil.example" });
    expect(away.headers["location"]).toBe("/login?next=%2F");
  });
});
