import { MastoHttpError } from "masto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen } from "../../src/web/server/listen.ts";
import { connectApp, type Connected } from "./mastodon-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("a Mastodon client", () => {
  let world: World;
  let server: Awaited<ReturnType<typeof listen>>;
  let alice: Visitor;
  let bob: Visitor;
  let app: Connected;
  let other: Connected;

  beforeAll(async () => {
    world = await createWorld();
    server = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
    alice = await world.newcomer("alice");
    bob = await world.newcomer("bob");
    app = await connectApp(server.url, alice);
    other = await connectApp(server.url, bob, { name: "Other App" });
  });
  afterAll(async () => {
    await server.close();
    await closeChecked(world);
  });

  it("a Mastodon client is authorized by its user and knows who it is", async () => {
    const me = await app.rest.v1.accounts.verifyCredentials();
    expect(me).toMatchObject({ username: "alice", acct: "alice", url: `${server.url}/@alice` });
    const { text } = await alice.get("/settings/apps").expect(200);
    expect(text).toContain("Test App");
  });

  it("a Mastodon client posts, and the tweet is on the site's pages", async () => {
    const status = await app.rest.v1.statuses.create({ status: "Hello from an app, #sparrows" });
    expect(status.tags.map(({ name }) => name)).toEqual(["sparrows"]);
    expect((await alice.see("/@alice")).map(({ text }) => text)).toContain(
      "Hello from an app, #sparrows",
    );
    await app.rest.v1.statuses.$select(status.id).remove();
    await expect(app.rest.v1.statuses.$select(status.id).fetch()).rejects.toMatchObject({
      statusCode: 404,
    });
    expect(await alice.see("/@alice")).toEqual([]);
  });

  it("a Mastodon client posts once what it sends twice with one key", async () => {
    const once = { requestInit: { headers: { "Idempotency-Key": "key-1" } } };
    const one = await app.rest.v1.statuses.create({ status: "Only once" }, once);
    const two = await app.rest.v1.statuses.create({ status: "Only once" }, once);
    expect(two.id).toBe(one.id);
  });

  it("a Mastodon client follows, replies, favourites and boosts, and the other user is notified", async () => {
    const { id: bobs } = await app.rest.v1.accounts.lookup({ acct: "bob" });
    const relation = await app.rest.v1.accounts.$select(bobs).follow();
    expect(relation).toMatchObject({ id: bobs, following: true, followedBy: false });
    const said = await other.rest.v1.statuses.create({ status: "Bread crumbs at noon @alice" });
    const reply = await app.rest.v1.statuses.create({
      status: "@bob I am coming",
      inReplyToId: said.id,
    });
    expect(reply).toMatchObject({ inReplyToId: said.id, inReplyToAccountId: bobs });
    const liked = await app.rest.v1.statuses.$select(said.id).favourite();
    expect(liked).toMatchObject({ favourited: true, favouritesCount: 1 });
    const boost = await app.rest.v1.statuses.$select(said.id).reblog();
    expect(boost.reblog).toMatchObject({ id: said.id, reblogged: true, reblogsCount: 1 });
    const { ancestors, descendants } = await app.rest.v1.statuses.$select(said.id).context.fetch();
    expect([ancestors.length, descendants.map(({ id }) => id)]).toEqual([0, [reply.id]]);
    await world.delivered();
    const told = await other.rest.v1.notifications.list();
    expect(new Set(told.map(({ type }) => type))).toEqual(
      new Set(["follow", "mention", "favourite", "reblog"]),
    );
    const [mention] = await app.rest.v1.notifications.list({ types: ["mention"] });
    expect(mention?.status?.id).toBe(said.id);
    await app.rest.v1.statuses.$select(said.id).unfavourite();
    const undone = await app.rest.v1.statuses.$select(said.id).unreblog();
    expect(undone).toMatchObject({ reblogged: false, reblogsCount: 0, favouritesCount: 0 });
  });

  it("a Mastodon client reads home to its end by the page links", async () => {
    const written: string[] = [];
    for (let nth = 0; nth < 55; nth += 1) {
      const { id } = await other.rest.v1.statuses.create({ status: `Crumb ${nth}` });
      written.unshift(id);
    }
    await world.delivered();
    const read: string[] = [];
    for await (const page of app.rest.v1.timelines.home.list({ limit: 20 })) {
      expect(page.length).toBeLessThanOrEqual(20);
      read.push(...page.map(({ id }) => id));
    }
    expect(new Set(read).size).toBe(read.length);
    expect(read.slice(0, 55)).toEqual(written);
    expect(read.toSorted((one, two) => (BigInt(one) < BigInt(two) ? 1 : -1))).toEqual(read);
    const newer = await app.rest.v1.timelines.home.list({ minId: written[30] ?? "", limit: 5 });
    expect(newer.map(({ id }) => id)).toEqual(written.slice(25, 30));
  });

  it("a Mastodon client finds users, tags and tweets", async () => {
    const status = await other.rest.v1.statuses.create({ status: "A nest of straw #nests" });
    await world.delivered();
    await expect
      .poll(async () => (await app.rest.v2.search.list({ q: "straw" })).statuses.length)
      .toBe(1);
    const people = await app.rest.v2.search.list({ q: "bob", type: "accounts" });
    expect(people.accounts.map(({ acct }) => acct)).toEqual(["bob"]);
    const opened = await app.rest.v2.search.list({ q: status.url ?? "", resolve: true });
    expect(opened.statuses.map(({ id }) => id)).toEqual([status.id]);
    const tagged = await app.rest.v1.timelines.tag.$select("nests").list();
    expect(tagged.map(({ id }) => id)).toEqual([status.id]);
  });

  it("a Mastodon client asks, and another one votes", async () => {
    const status = await other.rest.v1.statuses.create({
      status: "Crumbs or seeds?",
      poll: { options: ["crumbs", "seeds"], expiresIn: 300 },
    });
    const { id } = status.poll as { id: string };
    const poll = await app.rest.v1.polls.$select(id).votes.create({ choices: [1] });
    expect(poll).toMatchObject({ id, voted: true, ownVotes: [1], votersCount: 1 });
    expect(poll.options.map(({ title, votesCount }) => [title, votesCount])).toEqual([
      ["crumbs", 0],
      ["seeds", 1],
    ]);
    expect((await other.rest.v1.polls.$select(id).fetch()).votesCount).toBe(1);
    const { configuration } = await app.rest.v2.instance.fetch();
    expect(configuration.polls.maxOptions).toBe(4);
  });

  it("a Mastodon client listens to several streams over one WebSocket", async () => {
    const streaming = await app.streaming();
    const subscriptions = [
      streaming.user.subscribe(),
      streaming.hashtag.subscribe({ tag: "feathers" }),
    ];
    const heard = Promise.all(
      subscriptions.map(async (one): Promise<unknown> => (await one.values().next()).value),
    );
    // Its messages are on their way once the site has answered a later request.
    await streaming.prepare();
    await app.rest.v1.accounts.verifyCredentials();
    await other.rest.v1.statuses.create({ status: "Found #feathers" });
    const [atHome, tagged] = await heard;
    expect(atHome).toMatchObject({ stream: ["user"], event: "update" });
    expect(tagged).toMatchObject({
      stream: ["hashtag", "feathers"],
      payload: { account: { acct: "bob" } },
    });
    streaming.close();
  });

  it("a Mastodon client locks its account, and answers those who ask to follow", async () => {
    const { id: mine } = await app.rest.v1.accounts.updateCredentials({ locked: true });
    const { id: bobs } = await app.rest.v1.accounts.lookup({ acct: "bob" });
    await other.rest.v1.accounts.$select(mine).unfollow();
    const relation = await other.rest.v1.accounts.$select(mine).follow();
    expect(relation).toMatchObject({ following: false, requested: true });
    const [asked] = await app.rest.v1.notifications.list({ types: ["follow_request"] });
    expect(asked).toMatchObject({ type: "follow_request", account: { acct: "bob" } });
    expect((await app.rest.v1.followRequests.list()).map(({ acct }) => acct)).toEqual(["bob"]);
    const answer = await app.rest.v1.followRequests.$select(bobs).authorize();
    expect(answer).toMatchObject({ followedBy: true, requestedBy: false });
    expect(await app.rest.v1.followRequests.list()).toEqual([]);
    await app.rest.v1.accounts.updateCredentials({ locked: false });
  });

  it("a Mastodon client mutes, blocks and unfollows like the site's buttons", async () => {
    const { id: bobs } = await app.rest.v1.accounts.lookup({ acct: "bob" });
    expect(await app.rest.v1.accounts.$select(bobs).mute()).toMatchObject({ muting: true });
    expect(await app.rest.v1.timelines.home.list()).not.toContainEqual(
      expect.objectContaining({ account: expect.objectContaining({ id: bobs }) as unknown }),
    );
    expect((await app.rest.v1.mutes.list()).map(({ id }) => id)).toEqual([bobs]);
    expect(await app.rest.v1.accounts.$select(bobs).unmute()).toMatchObject({ muting: false });
    expect(await app.rest.v1.accounts.$select(bobs).block()).toMatchObject({
      blocking: true,
      following: false,
    });
    await expect(other.rest.v1.statuses.create({ status: "@alice hello?" })).resolves.toBeDefined();
    expect(await app.rest.v1.accounts.$select(bobs).unblock()).toMatchObject({ blocking: false });
  });

  it("a Mastodon client is shut out once it gives its token back", async () => {
    await app.revoke();
    const refused = app.rest.v1.accounts.verifyCredentials();
    await expect(refused).rejects.toBeInstanceOf(MastoHttpError);
    await expect(refused).rejects.toMatchObject({ statusCode: 401 });
  });

  it("a Mastodon client is shut out once its user ends it in the settings", async () => {
    const { text } = await bob.get("/settings/apps").expect(200);
    const id = /name="app"[^>]*value="([^"]+)"/.exec(text)?.[1] ?? "";
    await bob.post("/settings/apps", { app: id }).expect(303);
    await expect(other.rest.v1.timelines.home.list()).rejects.toMatchObject({ statusCode: 401 });
  });
});
