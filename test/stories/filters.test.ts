import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClientId } from "../../src/domain/ids.ts";
import { singleNotifications } from "../../src/domain/notifications/single.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { composePush } from "../../src/push/deliver.ts";
import { keys } from "../../src/redis/keys.ts";
import { listen } from "../../src/web/server/listen.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { type Connected, connectApp } from "./mastodon-client.ts";

const folded = /<summary><span>(Filtered: [^<]*)<\/span>/g;

describe("filters on the site and in apps", () => {
  let world: World;
  let reader: Visitor;
  let friend: Visitor;
  let app: Connected;
  let close: () => Promise<void>;
  const said: Record<string, string> = {};
  beforeAll(async () => {
    world = await createWorld();
    reader = await world.newcomer("reader");
    friend = await world.newcomer("friend");
    await reader.follow("friend");
    for (const text of ["The Final is tonight", "@reader finale spoiler", "dinner"]) {
      await friend.tweet(text);
      const [written] = await friend.see("/@friend/replies");
      said[text] = written?.id ?? "";
    }
    await world.delivered();
    const site = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
    close = async () => {
      await site.close();
    };
    app = await connectApp(site.url, reader);
  });
  afterAll(async () => {
    await close();
    await app.revoke().catch(() => {});
    // The client's app is not registered.
    await world.ctx.redis.del(keys.tokens((await getUserByName(world.ctx, "friend")).id));
    await closeChecked(world);
  });

  const foldedOn = async (path: string) =>
    [...(await reader.get(path).expect(200)).text.matchAll(folded)].map(([, title]) => title);
  const textsOn = async (path: string) => (await reader.see(path)).map(({ text }) => text);
  const filtered = async (text: string) => {
    const { id } = await app.rest.v1.accounts.lookup({ acct: "friend" });
    const all = await app.rest.v1.accounts.$select(id).statuses.list();
    const status = all.find(({ content }) => content.includes(text));
    return status?.filtered?.map(({ filter, keywordMatches }) => [
      filter.title,
      filter.filterAction,
      keywordMatches,
    ]);
  };

  it("a word is muted with a warning: its tweets are folded below it, in lists and on their own page", async () => {
    const plain = (await reader.get("/").expect(200)).text;
    await reader
      .post("/settings/muted", { word: "Final", duration: "7", action: "warn" })
      .expect(303);
    for (const path of ["/", "/explore", "/@friend", `/tweets/${said["The Final is tonight"]}`])
      expect([path, await foldedOn(path)]).toEqual([path, ["Filtered: final"]]);
    expect(await textsOn("/")).toHaveLength(3);
    const { text } = await reader.get("/settings/muted").expect(200);
    expect(text).toContain("Fold them");
    // What no filter matches is as it was.
    expect(plain).not.toContain('<details class="picture-cover"');
    expect(await foldedOn(`/tweets/${said["dinner"]}`)).toEqual([]);
  });

  it("an app sees the muted word as a filter, and each status says that it matches", async () => {
    const [filter] = await app.rest.v2.filters.list();
    expect(filter).toMatchObject({
      title: "final",
      context: ["home", "notifications", "public", "thread", "account"],
      filterAction: "warn",
      keywords: [{ keyword: "final", wholeWord: true }],
      statuses: [],
    });
    expect(Date.parse(filter?.expiresAt ?? "") - world.ctx.now()).toBeGreaterThan(6 * 864e5);
    const home = await app.rest.v1.timelines.home.list();
    expect(home.map(({ filtered: all }) => all?.length)).toEqual([0, 0, 1]);
    expect(await filtered("The Final is tonight")).toEqual([["final", "warn", ["final"]]]);
    expect(await app.rest.v1.filters.list()).toMatchObject([
      { phrase: "final", wholeWord: true, irreversible: false },
    ]);
  });

  it("an app makes, changes and deletes filters, which the site keeps in the same list", async () => {
    const made = await app.rest.v2.filters.create({
      title: "Spoilers",
      context: ["home", "notifications"],
      filterAction: "hide",
      expiresIn: 3600,
      keywordsAttributes: [{ keyword: "Spoil", wholeWord: false }],
    });
    const { keywords } = app.rest.v2.filters.$select(made.id);
    await keywords.create({ keyword: "ending", wholeWord: true });
    expect(await textsOn("/")).toEqual(["dinner", "The Final is tonight"]);
    expect((await reader.get("/notifications")).text).not.toContain("finale");
    expect(await app.rest.v1.notifications.list({ types: ["mention"] })).toEqual([]);
    // Not in other contexts; apps are told of it there.
    expect(await textsOn("/@friend/replies")).toHaveLength(3);
    expect(await filtered("finale spoiler")).toEqual([["Spoilers", "hide", ["Spoil"]]]);
    const { text } = await reader.get("/settings/muted").expect(200);
    for (const shown of ["Spoilers", "Spoil, ending", "Home and lists, Notifications"])
      expect(text).toContain(shown);

    const [first, second] = await keywords.list();
    await app.rest.v2.filters.keywords
      .$select(first?.id ?? "")
      .update({ keyword: "finale", wholeWord: true });
    await app.rest.v2.filters.keywords.$select(second?.id ?? "").remove();
    const changed = await app.rest.v2.filters.$select(made.id).update({
      title: "The end",
      context: ["notifications"],
      filterAction: "warn",
      expiresIn: null as unknown as number,
    });
    expect(changed).toMatchObject({ title: "The end", filterAction: "warn", expiresAt: null });
    expect(changed.keywords.map(({ keyword }) => keyword)).toEqual(["finale"]);
    expect(await foldedOn("/notifications")).toEqual(["Filtered: The end"]);
    expect(await foldedOn("/")).toEqual(["Filtered: final"]);
    const stranger = await ApiClient.of(world, "friend");
    for (const path of [made.id, `keywords/${first?.id}`])
      await stranger.get(`/api/v2/filters/${path}`).expect(404);
    await stranger.delete(`/api/v2/filters/${made.id}`).expect(404);
    await app.rest.v2.filters.$select(made.id).remove();
    await expect(app.rest.v2.filters.$select(made.id).fetch()).rejects.toMatchObject({
      statusCode: 404,
    });
    expect(await foldedOn("/notifications")).toEqual([]);
  });

  it("a push of a tweet that a filter warns of says only so", async () => {
    await reader.post("/settings/muted", { word: "finale", duration: "1", action: "warn" });
    const viewer = await getUserByName(world.ctx, "reader");
    const friendUser = await getUserByName(world.ctx, "friend");
    const { items } = await singleNotifications(world.ctx, viewer, { limit: 20 });
    const item = items.find(({ kind }) => kind === "mention");
    if (item === undefined) throw new Error("no mention");
    const holder = { by: "app", id: "1", app: "x" as ClientId, token: "x" } as const;
    const push = composePush(world.ctx, viewer, { holder }, item, friendUser);
    expect(push).toContain("Filtered: finale");
    expect(push).not.toContain("spoiler");
    const filter = (await app.rest.v2.filters.list()).find(({ title }) => title === "finale");
    await app.rest.v2.filters.$select(filter?.id ?? "").remove();
  });

  it("an older app makes, changes and deletes a keyword as a filter of version 1", async () => {
    const { filters } = app.rest.v1;
    const made = await filters.create({ phrase: "Dinner", context: ["home"], irreversible: true });
    expect(made).toMatchObject({ phrase: "Dinner", irreversible: true, expiresAt: null });
    expect(await textsOn("/")).not.toContain("dinner");
    const one = filters.$select(made.id);
    const changed = await one.update({ phrase: "supper", context: ["home"], irreversible: false });
    expect(await one.fetch()).toEqual(changed);
    expect(changed).toMatchObject({ id: made.id, phrase: "supper", irreversible: false });
    expect(await textsOn("/")).toContain("dinner");
    await one.remove();
    expect((await app.rest.v2.filters.list()).map(({ title }) => title)).toEqual(["final"]);
  });

  it("a filter ends by itself, and what filters cannot do is refused with a sentence", async () => {
    const { id } = await app.rest.v2.filters.create({
      title: "An hour",
      context: ["home"],
      filterAction: "hide",
      expiresIn: 3600,
      keywordsAttributes: [{ keyword: "dinner" }],
    });
    await expect(
      app.rest.v2.filters.$select(id).statuses.create({ statusId: said["dinner"] ?? "" }),
    ).rejects.toThrow("Single tweets cannot be filtered");
    expect(await app.rest.v2.filters.$select(id).statuses.list()).toEqual([]);
    for (const [wish, message] of [
      [{ filterAction: "blur" }, "cannot blur"],
      [{ title: " " }, "title"],
      [{ keywordsAttributes: [{ keyword: "x".repeat(51) }] }, "50 characters"],
    ] as const)
      await expect(
        app.rest.v2.filters.$select(id).update(wish as unknown as { title: string }),
      ).rejects.toThrow(message);
    await expect(
      app.rest.v2.filters.create({ title: "nowhere", context: [], filterAction: "warn" }),
    ).rejects.toThrow("where the filter works");
    expect(await textsOn("/")).not.toContain("dinner");
    world.pass(3601 * 1000);
    expect(await textsOn("/")).toContain("dinner");
    expect(await app.rest.v2.filters.list()).toHaveLength(1);
  });

  it("old forms without a choice hide everywhere", async () => {
    await reader.post("/settings/muted", { word: "final", duration: "ever" }).expect(303);
    for (const path of ["/", "/explore", "/@friend"])
      expect(await textsOn(path)).not.toContain("The Final is tonight");
    expect(await foldedOn(`/tweets/${said["The Final is tonight"]}`)).toEqual([]);
    const [filter] = await app.rest.v2.filters.list();
    expect(filter).toMatchObject({ filterAction: "hide", expiresAt: null });
  });
});
