import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { deliverTweet } from "../../../../src/domain/actions/deliver-tweet.ts";
import { postTweet } from "../../../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { createApp } from "../../../../src/web/app.ts";
import { listen } from "../../../../src/web/server/listen.ts";
import { type EventStream, openEventStream } from "../../../support/actors/event-stream.ts";
import { serve, type Site } from "../../../support/world/serve.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import {
  createTwoProcesses,
  type OnBoth,
  type TwoProcesses,
} from "../../../support/world/two-processes.ts";
import { password } from "../../../support/actors/visitor.ts";
import { appOptions } from "../../../support/world/world.ts";

describe("new items on open pages", () => {
  let two: TwoProcesses;
  let site: Site;
  let reader: OnBoth & { cookie: string };
  let author: OnBoth;
  const open: EventStream[] = [];

  beforeAll(async () => {
    two = await createTwoProcesses();
    site = await serve(two.world.app);
    reader = await two.newcomer("reader");
    author = await two.newcomer("author");
    await reader.here.follow("author");
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.leave();
  });
  afterAll(async () => {
    await site.close();
    await two.close();
  });

  async function listenHere(path: string, headers: Record<string, string> = {}) {
    const one = await openEventStream(site.port, path, { Cookie: reader.cookie, ...headers });
    open.push(one);
    return one;
  }

  /** Where the script of a page would listen. */
  async function streamOf(path: string): Promise<string> {
    const { text } = await reader.here.get(path).expect(200);
    const live = /<body data-live="([^"]*)"/.exec(text)?.[1] ?? "";
    const after = /data-live-after="(\d+)"/.exec(text)?.[1];
    return after === undefined ? live : `${live}?after=${after}`;
  }

  it("an open page hears of tweets posted through another process", async () => {
    await author.here.tweet("seen");
    await two.world.delivered();
    const stream = await listenHere(await streamOf("/"));
    await stream.hears("home", "0");
    await author.there.tweet("first");
    await stream.hears("home", "1");
    await author.there.tweet("second");
    await stream.hears("home", "2");
  });

  it("the page of a tweet hears of new replies by others", async () => {
    await author.here.tweet("answer me");
    const [tweet] = await reader.here.see("/@author");
    const path = `/tweets/${tweet?.id}`;
    const { text } = await reader.here.get(path).expect(200);
    const [, thread, after] = /data-live-thread="(\d+)" data-live-after="(\d+)"/.exec(text) ?? [];
    expect(thread).toBe(tweet?.id);
    const stream = await listenHere(`/live?after=${after}&thread=${thread}`);
    await stream.hears("replies", "0");
    const reply = { text: "an answer", reply_to: thread ?? "" };
    await reader.here.post("/tweets", reply).expect(303);
    await author.there.post("/tweets", reply).expect(303);
    await stream.hears("replies", "1");
    const [own] = await reader.here.see("/@reader/replies");
    const below = { ...reply, reply_to: own?.id ?? "" };
    await author.there.post("/tweets", below).expect(303);
    await stream.hears("replies", "2");
  });

  it("the page of a list hears of new tweets of its members", async () => {
    const made = await reader.here.post("/lists", { title: "Birds" }).expect(303);
    const members = made.headers["location"] ?? "";
    await reader.here.post(members, { name: "author" }).expect(303);
    const { text } = await reader.here.get(members.replace("/members", "")).expect(200);
    const [, after, list] = /data-live-after="(\d+)" data-live-list="(\d+)"/.exec(text) ?? [];
    const stream = await listenHere(`/live?after=${after}&list=${list}`);
    await stream.hears("list", "0");
    await author.there.tweet("in the list");
    await reader.here.tweet("not in the list");
    await stream.hears("list", "1");
  });

  it("the stream of an open page is uncached, uncompressed and unbuffered", async () => {
    const { status, headers } = await listenHere("/live");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-accel-buffering"]).toBe("no");
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("new items are counted from what the page has shown, however long it was disconnected", async () => {
    const path = await streamOf("/");
    const first = await listenHere(path);
    const { id = "" } = await first.hears("home", "0");
    first.leave();
    await author.there.tweet("while nobody listened");
    await two.world.delivered();
    const second = await listenHere("/live?after=1", { "Last-Event-ID": id });
    await second.hears("home", "1");
    expect(path).toBe(`/live?after=${id}`);
  });

  it("new items leave out the viewer's own tweets, and what home does not show", async () => {
    const muted = await two.newcomer("muted_one");
    await reader.here.follow("muted_one");
    await reader.here.post("/@muted_one/mute").expect(303);
    const stream = await listenHere(await streamOf("/"));
    await stream.hears("home", "0");
    await reader.there.tweet("my own");
    await muted.there.tweet("out of hearing");
    await two.world.delivered();
    await author.there.tweet("heard");
    await stream.hears("home", "1");
    expect(stream.heard.filter(({ event }) => event === "home").map(({ data }) => data)).toEqual([
      "0",
      "1",
    ]);
  });

  it("every open page hears of notifications, only home pages of home", async () => {
    await reader.here.get("/notifications").expect(200);
    await reader.here.tweet("please like");
    await two.world.delivered();
    const [tweet] = await reader.here.see("/@reader");
    const streams = [
      await listenHere(await streamOf("/")),
      await listenHere(await streamOf("/explore")),
    ];
    for (const stream of streams) await stream.hears("notifications", "0");
    await author.there.post(`/tweets/${tweet?.id}/like`).expect(303);
    for (const stream of streams) await stream.hears("notifications", "1");
    await reader.there.get("/notifications").expect(200);
    await expect
      .poll(() => streams.map(({ heard }) => heard.at(-1)), { timeout: 20_000 })
      .toEqual([
        expect.objectContaining({ event: "notifications", data: "0" }),
        expect.objectContaining({ event: "notifications", data: "0" }),
      ]);
    expect(streams[1]?.heard.some(({ event }) => event === "home")).toBe(false);
  });

  it("an open page hears of tweets of big accounts", async () => {
    const { ctx } = two.world;
    const { id } = await getUserByName(ctx, "author");
    const stream = await listenHere(await streamOf("/"));
    await stream.hears("home", "0");
    const promises = { ...ctx.jobs, deliverTweet: async () => {} };
    const tweet = await postTweet({ ...ctx, jobs: promises }, id, { text: "from far above" });
    const config = { ...ctx.config, bigAccountFollowers: 0 };
    await deliverTweet({ ...ctx, config }, tweet, { done: 0, save: async () => {} });
    await stream.hears("home", "1");
    const home = await reader.there.see("/");
    expect(home[0]?.text).toBe("from far above");
  });

  it("a user with many streams loses the oldest, whose browser is told to stay away", async () => {
    const streams: EventStream[] = [];
    for (let nth = 0; nth < 7; nth += 1) streams.push(await listenHere("/live"));
    await streams[0]?.hears("end", "0");
    await streams[0]?.ended;
    await streams[1]?.hears("notifications", "0");
    expect(streams[1]?.heard.some(({ event }) => event === "end")).toBe(false);
  });

  it("a stream ends within a minute once its session ended elsewhere", async () => {
    const other = two.world.visitor();
    const cookie = sessionCookie(await other.post("/login", { name: "reader", password }));
    const stream = await listenHere("/live", { Cookie: cookie });
    const kept = await listenHere("/live");
    await stream.hears("notifications", "0");
    await two.onBoth(cookie).there.post("/logout").expect(303);
    two.world.pass(61_000);
    await stream.hears("end", "0");
    await stream.ended;
    expect(kept.heard.some(({ event }) => event === "end")).toBe(false);
  });

  it("browsers that are not signed in are sent away for good, and so is every request for no stream", async () => {
    expect((await listenHere("/live", { Cookie: "" })).status).toBe(204);
    await reader.here.get("/live").expect(404);
    await reader.here.agent.head("/live").set("Accept", "text/event-stream").expect(404);
  });

  it("streams do not delay a process that ends; browsers reconnect", async () => {
    const ending = new AbortController();
    const { ctx } = two.world;
    const app = createApp(ctx, { ...appOptions, ending: ending.signal });
    const config = { ...ctx.config, port: 0, host: "127.0.0.1", baseUrl: undefined };
    const closing = await listen(app, config, () => ending.abort());
    const port = Number(new URL(closing.url).port);
    const stream = await openEventStream(port, "/live", { Cookie: reader.cookie });
    await stream.hears("notifications", "0");
    const began = performance.now();
    await closing.close();
    await stream.ended;
    expect(performance.now() - began).toBeLessThan(5000);
    expect(stream.heard.some(({ event }) => event === "end")).toBe(false);
  });
});
