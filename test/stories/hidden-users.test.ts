import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../src/domain/actions/block.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { editProfile } from "../../src/domain/users/settings.ts";
import { getUserByName, type User } from "../../src/domain/users/store.ts";
import { suspendUser } from "../../src/domain/users/suspension.ts";
import { indexPerson } from "../../src/domain/search/index-person.ts";
import { badgeOn, notificationsOn } from "../support/inspect/notifications.ts";
import { alertsOn, hiddenFields, peopleOn } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

/** Blocks and suspensions, on all pages on which people and their tweets appear. */
describe("hidden users", () => {
  let world: World;
  let made = 0;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => closeChecked(world, { workers: false }));

  async function person(name: string) {
    made += 1;
    const visitor = await world.newcomer(`${name}${made}`);
    const user = await getUserByName(world.ctx, visitor.name);
    await indexPerson(world.ctx, user.id);
    return { visitor, user };
  }

  const suspend = async ({ id, name }: User) => {
    await suspendUser(world.ctx, await getUserByName(world.ctx, name));
    return id;
  };

  it("a hidden user's tweets allow no action", async () => {
    const { ctx } = world;
    const [{ visitor: me, user }, bad, blocker] = [
      await person("me"),
      await person("bad"),
      await person("blocker"),
    ];
    const hidden = await postTweet(ctx, bad.user.id, { text: "hidden" });
    const blocked = await postTweet(ctx, blocker.user.id, { text: "blocked" });
    await suspend(bad.user);
    await block(ctx, { blocker: blocker.user.id, blocked: user.id });
    for (const [id, status] of [
      [hidden, 404],
      [blocked, 403],
    ] as const) {
      await me.get(`/tweets/${id}`).expect(404);
      for (const verb of ["like", "retweet"]) await me.post(`/tweets/${id}/${verb}`).expect(status);
    }
    const { text } = await me.post("/tweets", { text: "so", reply_to: hidden }).expect(422);
    expect(alertsOn(text)).toEqual([expect.stringContaining("no longer exists")]);
    await me.post(`/@${bad.user.name}/follow`).expect(404);
    await me.post(`/@${blocker.user.name}/follow`).expect(403);
  });

  it("a hidden user receives no notifications", async () => {
    const { ctx } = world;
    const [{ visitor: me, user }, other] = [await person("me"), await person("other")];
    const id = await postTweet(ctx, other.user.id, { text: "hello" });
    const page = await me.get(`/tweets/${id}`).expect(200);
    const fields = { ...hiddenFields(page.text, "/tweets"), text: "a long answer" };
    await block(ctx, { blocker: other.user.id, blocked: user.id });
    const { text } = await me.post("/tweets", fields).expect(422);
    expect(alertsOn(text)).toEqual([expect.stringContaining("has blocked the other")]);
    expect(text).toContain("a long answer</textarea>");
    await me.post("/tweets", { ...hiddenFields(text, "/tweets"), text: "alone" }).expect(303);
  });

  it("a hidden user causes no notifications", async () => {
    const { ctx } = world;
    const [{ visitor: me, user }, bad] = [await person("me"), await person("bad")];
    const id = await postTweet(ctx, user.id, { text: "mine" });
    await likeTweet(ctx, bad.user.id, id);
    await suspend(bad.user);
    expect(badgeOn((await me.get("/explore").expect(200)).text)).toBeUndefined();
    expect(notificationsOn((await me.get("/notifications").expect(200)).text)).toEqual([]);
  });

  it("a hidden user is not in the sitemap, with tweets or without", async () => {
    const { ctx } = world;
    const [good, bad] = [await person("good"), await person("bad")];
    const kept = await postTweet(ctx, good.user.id, { text: "kept" });
    const hidden = await postTweet(ctx, bad.user.id, { text: "hidden" });
    await suspend(bad.user);
    const { text } = await world.visitor().get("/sitemap/tweets/1.xml").expect(200);
    expect(text).toContain(`/tweets/${kept}<`);
    expect(text).not.toContain(`/tweets/${hidden}<`);
  });

  it("a hidden user is in no list of users", async () => {
    const { ctx } = world;
    const [{ visitor: me, user }, star, bad, blocker, blocked, friend] = [
      await person("zed"),
      await person("star"),
      await person("zedbad"),
      await person("zedblocker"),
      await person("zedblocked"),
      await person("zedfriend"),
    ];
    const id = await postTweet(ctx, star.user.id, { text: "hello" });
    for (const { visitor, user: fan } of [bad, blocker, blocked, friend]) {
      await visitor.follow(star.user.name);
      await star.visitor.follow(fan.name);
      await likeTweet(ctx, fan.id, id);
      await retweet(ctx, fan.id, id);
    }
    await me.follow(star.user.name);
    await suspend(bad.user);
    await block(ctx, { blocker: blocker.user.id, blocked: user.id });
    await block(ctx, { blocker: user.id, blocked: blocked.user.id });
    const hidden = new Set([bad, blocker, blocked].map(({ user: { name } }) => name));
    for (const path of [
      `/tweets/${id}/likes`,
      `/tweets/${id}/retweets`,
      `/@${star.user.name}/followers`,
      `/@${star.user.name}/followings`,
      "/search?q=zed&people=1",
      "/explore",
    ]) {
      const names = peopleOn((await me.get(path).expect(200)).text);
      expect([path, names]).toEqual([path, expect.arrayContaining([friend.user.name])]);
      expect([path, names.filter((name) => hidden.has(name))]).toEqual([path, []]);
      const others = peopleOn((await blocker.visitor.get(path).expect(200)).text);
      expect([path, others.includes(user.name)]).toEqual([path, false]);
    }
  });

  it("a hidden user's page has no metadata about them", async () => {
    const { ctx } = world;
    const [{ visitor: me, user }, other] = [await person("me"), await person("other")];
    const about = { fullname: "Other", bio: "a secret bio", website: "" };
    await editProfile(ctx, other.user, about);
    const path = `/@${other.user.name}`;
    expect((await me.get(path).expect(200)).text).toContain("a secret bio");
    await block(ctx, { blocker: other.user.id, blocked: user.id });
    expect((await me.get(path).expect(200)).text).not.toContain("a secret bio");
  });
});
