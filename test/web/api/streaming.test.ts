import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { placeOf as placeOfToken, dropToken } from "../../../src/domain/apps/tokens.ts";
import { deliverTweet } from "../../../src/domain/tweets/deliver.ts";
import { postTweet } from "../../../src/domain/tweets/post.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { createApp } from "../../../src/web/app.ts";
import { listen } from "../../../src/web/listen.ts";
import { AppListener, tokenFor } from "../../support/app-listener.ts";
import { serve, type Site } from "../../support/raw.ts";
import { createTwo, type OnBoth, type TwoProcesses } from "../../support/two-processes.ts";
import { outfit } from "../../support/world.ts";

describe("what apps hear while they listen", () => {
  let two: TwoProcesses;
  let site: Site;
  let reader: OnBoth;
  let author: OnBoth;
  let stranger: OnBoth;
  let token: string;
  const open: AppListener[] = [];

  beforeAll(async () => {
    two = await createTwo();
    site = await serve(two.world.app);
    reader = await two.newcomer("reader");
    author = await two.newcomer("author");
    stranger = await two.newcomer("stranger");
    await reader.here.follow("author");
  });
  beforeEach(async () => {
    token = await tokenFor(two.world, "reader");
  });
  afterEach(() => {
    for (const { stream } of open.splice(0)) stream.leave();
  });
  afterAll(async () => {
    await site.close();
    await two.close();
  });

  async function listenHere(
    path: string,
    { as = token, lastHeard }: { as?: string; lastHeard?: string } = {},
  ) {
    const one = await AppListener.open(site.port, path, as, lastHeard);
    expect(one.stream.status).toBe(200);
    open.push(one);
    return one;
  }

  async function answerTo(path: string, headers: Record<string, string> = {}) {
    const { status, text } = await site.send({
      method: "GET",
      path: `/api/v1/streaming${path}`,
      headers,
    });
    return { status, error: (JSON.parse(text) as { error: string }).error };
  }

  const signed = (as: string) => ({ Authorization: `Bearer ${as}` });

  async function newestBy(name: string): Promise<string> {
    const [tweet] = await reader.here.see(`/@${name}`);
    return tweet?.id ?? "";
  }

  describe("about home", () => {
    it("are tweets as the API serves them, through whatever process they were posted", async () => {
      const stream = await listenHere("/user");
      await author.there.tweet("first");
      const { status } = await stream.hearsTweet("first");
      await reader.there.tweet("my own");
      await stream.hearsTweet("my own");
      const { text } = await site.send({
        method: "GET",
        path: `/api/v1/statuses/${status.id}`,
        headers: signed(token),
      });
      const served = JSON.parse(text) as Record<string, unknown>;
      expect({ ...status, account: undefined }).toEqual({ ...served, account: undefined });
      expect(stream.texts).toEqual(["first", "my own"]);
    });

    it("come in the order in which they were written, each once, on every stream of a person", async () => {
      const streams = [await listenHere("/user"), await listenHere("?stream=user")];
      const written = Array.from({ length: 30 }, (_, nth) => `tweet number ${nth}.`);
      for (const text of written) await author.here.tweet(text);
      for (const stream of streams) {
        await stream.hearsTweet("tweet number 29.");
        expect(stream.texts).toEqual(written);
      }
    });

    it("are what was written first but delivered last, too", async () => {
      const { ctx } = two.world;
      const { id } = await getUserByName(ctx, "author");
      const stream = await listenHere("/user");
      const jobs = { ...ctx.jobs, deliverTweet: async () => {} };
      const late = await postTweet({ ...ctx, jobs }, id, { text: "held up" });
      await author.here.tweet("overtakes it");
      const { id: place } = await stream.hearsTweet("overtakes it");
      await deliverTweet(ctx, late, { done: 0, save: async () => {} });
      expect((await stream.hearsTweet("held up")).id).toBe(place);
    });

    it("are tweets by accounts too big to be delivered", async () => {
      const { ctx } = two.world;
      const { id } = await getUserByName(ctx, "author");
      const stream = await listenHere("/user");
      const jobs = { ...ctx.jobs, deliverTweet: async () => {} };
      const tweet = await postTweet({ ...ctx, jobs }, id, { text: "from far above" });
      const config = { ...ctx.config, bigAccountFollowers: 0 };
      await deliverTweet({ ...ctx, config }, tweet, { done: 0, save: async () => {} });
      await stream.hearsTweet("from far above");
    });

    it("are retweets, and never what is by a stranger, muted or blocked", async () => {
      const muted = await two.newcomer("silenced");
      const blocked = await two.newcomer("shunned");
      for (const name of ["silenced", "shunned"]) await reader.here.follow(name);
      const stream = await listenHere("/user");
      await reader.here.post("/@silenced/mute").expect(303);
      await reader.here.post("/@shunned/block").expect(303);
      await muted.here.tweet("not a word");
      await blocked.here.tweet("not a word");
      await stranger.here.tweet("of a stranger");
      await author.here.post(`/tweets/${await newestBy("stranger")}/retweet`).expect(303);
      await stream.hearsTweet("of a stranger");
      await author.here.tweet("the end");
      await stream.hearsTweet("the end");
      expect(stream.texts).toEqual(["of a stranger", "the end"]);
    });

    it("go on where they ended, however many came meanwhile", async () => {
      const first = await listenHere("/user");
      await author.here.tweet("the last one heard");
      const { id: lastHeard } = await first.hearsTweet("the last one heard");
      first.stream.leave();
      const missed = Array.from({ length: 45 }, (_, nth) => `missed number ${nth}.`);
      for (const text of missed) await author.there.tweet(text);
      await two.world.delivered();
      const second = await listenHere("/user", { lastHeard: lastHeard ?? "" });
      await second.hearsTweet("missed number 44.");
      await author.here.tweet("heard again");
      await second.hearsTweet("heard again");
      expect(second.texts).toEqual([...missed, "heard again"]);
    });

    it("are deletions of what was told, of retweets too", async () => {
      const stream = await listenHere("/user");
      await author.here.tweet("soon gone");
      const { status } = await stream.hearsTweet("soon gone");
      await author.there.post(`/tweets/${await newestBy("author")}/delete`).expect(303);
      await stream.stream.hears("delete", status.id);

      await stranger.here.tweet("retweeted and gone");
      const original = await newestBy("stranger");
      await author.here.post(`/tweets/${original}/retweet`).expect(303);
      const { status: retweet } = await stream.hearsTweet("retweeted and gone");
      await stranger.there.post(`/tweets/${original}/delete`).expect(303);
      await stream.stream.hears("delete", retweet.id);
    });

    it("is nothing of what was there before", async () => {
      const stream = await listenHere("/user");
      await author.here.tweet("news");
      await stream.hearsTweet("news");
      expect(stream.texts).toEqual(["news"]);
    });
  });

  describe("about notifications", () => {
    it("is each by itself, on the stream of a person and on that of notifications alone", async () => {
      const streams = [
        await listenHere("/user"),
        await listenHere("/user/notification"),
        await listenHere("?stream=user:notification"),
      ];
      await reader.here.tweet("please like");
      await author.there.post(`/tweets/${await newestBy("reader")}/like`).expect(303);
      await stranger.there.tweet("hello @reader");
      for (const stream of streams) {
        const { body } = await stream.hearsNotification("favourite");
        expect(body).toMatchObject({
          account: { acct: "author" },
          status: { content: "<p>please like</p>" },
        });
        await stream.hearsNotification("mention");
      }
      expect(streams[1]?.events).toEqual(["notification", "notification"]);
    });

    it("is left out for an app that may not read them", async () => {
      const narrow = await listenHere("/user", {
        as: await tokenFor(two.world, "reader", "read:statuses"),
      });
      const wide = await listenHere("/user");
      await stranger.here.tweet("once more @reader");
      await wide.hearsNotification("mention");
      await author.here.tweet("after that");
      await narrow.hearsTweet("after that");
      expect(narrow.events).toEqual(["update"]);
    });

    it("goes on where it ended", async () => {
      const first = await listenHere("/user/notification");
      await stranger.here.tweet("one @reader");
      const { id: lastHeard } = await first.hearsNotification("mention");
      first.stream.leave();
      await stranger.here.tweet("two @reader");
      await two.world.delivered();
      const second = await listenHere("/user/notification", { lastHeard: lastHeard ?? "" });
      const { body } = await second.hearsNotification("mention");
      expect(body).toMatchObject({ status: { content: expect.stringContaining("two") as string } });
    });
  });

  describe("about everybody", () => {
    it("are tweets of all but those whom the viewer does not want to see", async () => {
      const noisy = await two.newcomer("noisy");
      await reader.here.post("/@noisy/mute").expect(303);
      const mine = await listenHere("/public");
      const theirs = await listenHere("?stream=public:local", {
        as: await tokenFor(two.world, "author"),
      });
      await noisy.there.tweet("noise");
      await stranger.there.tweet("for all");
      for (const stream of [mine, theirs]) await stream.hearsTweet("for all");
      expect(mine.texts).toEqual(["for all"]);
      expect(theirs.texts).toEqual(["noise", "for all"]);
      const { status } = await theirs.hearsTweet("for all");
      await stranger.here.post(`/tweets/${await newestBy("stranger")}/delete`).expect(303);
      for (const stream of [mine, theirs]) await stream.stream.hears("delete", status.id);
    });

    it("are those with a hashtag", async () => {
      const streams = [
        await listenHere("/hashtag?tag=Sparrows"),
        await listenHere("?stream=hashtag:local&tag=sparrows"),
      ];
      await stranger.here.tweet("of no concern");
      await stranger.here.tweet("see #SPARROWS");
      for (const stream of streams) {
        await stream.hearsTweet("see");
        expect(stream.texts).toEqual(["see #SPARROWS"]);
      }
    });

    it("go on where they ended, while others listen on", async () => {
      const others = await listenHere("/public", { as: await tokenFor(two.world, "author") });
      const first = await listenHere("/public");
      await stranger.here.tweet("heard by all");
      const { id: lastHeard } = await first.hearsTweet("heard by all");
      first.stream.leave();
      await stranger.here.tweet("heard by one");
      await others.hearsTweet("heard by one");
      const second = await listenHere("/public", { lastHeard: lastHeard ?? "" });
      await stranger.here.tweet("heard by both");
      await second.hearsTweet("heard by both");
      await others.hearsTweet("heard by both");
      expect(second.texts).toEqual(["heard by one", "heard by both"]);
      expect(others.texts).toEqual(["heard by all", "heard by one", "heard by both"]);
    });

    it("is nothing where there is nothing to tell", async () => {
      for (const path of ["?stream=direct", "?stream=public:remote", "/public?only_media=true"])
        await listenHere(path);
    });
  });

  describe("ends", () => {
    it("within a minute once the token is revoked", async () => {
      const stream = await listenHere("/user");
      const kept = await listenHere("/user", { as: await tokenFor(two.world, "reader") });
      const place = placeOfToken(token);
      if (place !== undefined) await dropToken(two.world.ctx, place);
      two.world.pass(61_000);
      await stream.stream.ended;
      await author.here.tweet("still there");
      await kept.hearsTweet("still there");
    });

    it("once the person is suspended", async () => {
      await two.newcomer("nuisance");
      const stream = await listenHere("/public", { as: await tokenFor(two.world, "nuisance") });
      const nuisance = await getUserByName(two.world.ctx, "nuisance");
      await suspendUser(two.world.ctx, nuisance);
      await stream.stream.ended;
    });

    it("for the oldest of somebody with many", async () => {
      const streams: AppListener[] = [];
      for (let nth = 0; nth < 7; nth += 1) streams.push(await listenHere("/user"));
      await streams[0]?.stream.ended;
      await author.here.tweet("to the others");
      await streams[1]?.hearsTweet("to the others");
    });

    it("when the process ends, without holding it up", async () => {
      const ending = new AbortController();
      const { ctx, queues } = two.world;
      const app = createApp(ctx, { ...outfit(queues), ending: ending.signal });
      const config = { ...ctx.config, port: 0, host: "127.0.0.1", baseUrl: undefined };
      const closing = await listen(app, config, () => ending.abort());
      const stream = await AppListener.open(Number(new URL(closing.url).port), "/user", token);
      await author.here.tweet("before the end");
      await stream.hearsTweet("before the end");
      await closing.close();
      await stream.stream.ended;
    });
  });

  describe("comes", () => {
    it("as a stream that nobody keeps, compresses or holds back, to any site", async () => {
      const { headers } = (await listenHere("/user")).stream;
      expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["x-accel-buffering"]).toBe("no");
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["access-control-allow-origin"]).toBe("*");
    });

    it("to whoever shows the token in the address, as browsers have to", async () => {
      const stream = await AppListener.open(site.port, `/user?access_token=${token}`, token);
      expect(stream.stream.status).toBe(200);
      stream.stream.leave();
    });

    it("to nobody without a good token, whatever the stream", async () => {
      for (const path of [
        "/user",
        "/public",
        "/hashtag?tag=a",
        "?stream=public",
        "/user/notification",
      ]) {
        expect(await answerTo(path)).toEqual({
          status: 401,
          error: "This method requires an authenticated user",
        });
        expect(await answerTo(path, signed("1.wrong"))).toEqual({
          status: 401,
          error: "The access token is invalid",
        });
      }
    });

    it("to no app that was let in for something else", async () => {
      const notices = signed(await tokenFor(two.world, "reader", "read:notifications"));
      const statuses = signed(await tokenFor(two.world, "reader", "read:statuses"));
      const refused = { status: 403, error: "This action is outside the authorized scopes" };
      for (const path of ["/user", "/public", "/hashtag?tag=a", "?stream=user"])
        expect(await answerTo(path, notices)).toEqual(refused);
      expect(await answerTo("/user/notification", statuses)).toEqual(refused);
    });

    it("under no other name", async () => {
      expect((await answerTo("/nonsense", signed(token))).status).toBe(404);
      for (const path of [
        "",
        "?stream=",
        "?stream=nonsense",
        "?stream=list",
        "/hashtag",
        "/hashtag?tag=%20",
        "?stream=user&stream=public",
      ])
        expect((await answerTo(path, signed(token))).status, path).toBe(422);
    });

    it("with word of whether it is there", async () => {
      const { status, text } = await site.send({ method: "GET", path: "/api/v1/streaming/health" });
      expect({ status, text }).toEqual({ status: 200, text: "OK" });
    });
  });
});
