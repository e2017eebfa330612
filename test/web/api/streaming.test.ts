import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { deliverTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

describe("streams of a user", () => {
  let stage: StreamingScene;

  beforeAll(async () => {
    stage = await createStreamingScene();
  });
  afterEach(() => stage.leave());
  afterAll(() => stage.close());

  describe("the home stream", () => {
    it("the home stream has tweets as the API serves them, from any process", async () => {
      const stream = await stage.listens("/user");
      await stage.author.there.tweet("first");
      const { status } = await stream.hearsTweet("first");
      await stage.reader.there.tweet("my own");
      await stream.hearsTweet("my own");
      const { text } = await stage.site.send({
        method: "GET",
        path: `/api/v1/statuses/${status.id}`,
        headers: { Authorization: `Bearer ${await tokenFor(stage.two.world, "reader")}` },
      });
      const served = JSON.parse(text) as Record<string, unknown>;
      expect({ ...status, account: undefined }).toEqual({ ...served, account: undefined });
      expect(stream.texts).toEqual(["first", "my own"]);
    });

    it("the home stream is in order of writing, each tweet once, on every stream of a user", async () => {
      const streams = [await stage.listens("/user"), await stage.listens("?stream=user")];
      const written = Array.from({ length: 30 }, (_, nth) => `tweet number ${nth}.`);
      for (const text of written) await stage.author.here.tweet(text);
      for (const stream of streams) {
        await stream.hearsTweet("tweet number 29.");
        expect(stream.texts).toEqual(written);
      }
    });

    it("the home stream includes tweets written first but delivered last", async () => {
      const { ctx } = stage.two.world;
      const { id } = await getUserByName(ctx, "author");
      const stream = await stage.listens("/user");
      const jobs = { ...ctx.jobs, deliverTweet: async () => {} };
      const late = await postTweet({ ...ctx, jobs }, id, { text: "held up" });
      await stage.author.here.tweet("overtakes it");
      await stream.hearsTweet("overtakes it");
      await deliverTweet(ctx, late, { done: 0, save: async () => {} });
      await stream.hearsTweet("held up");
      expect(stream.texts).toEqual(["overtakes it", "held up"]);
    });

    it("the home stream includes tweets of big accounts", async () => {
      const { ctx } = stage.two.world;
      const { id } = await getUserByName(ctx, "author");
      const stream = await stage.listens("/user");
      const jobs = { ...ctx.jobs, deliverTweet: async () => {} };
      const tweet = await postTweet({ ...ctx, jobs }, id, { text: "from far above" });
      const config = { ...ctx.config, bigAccountFollowers: 0 };
      await deliverTweet({ ...ctx, config }, tweet, { done: 0, save: async () => {} });
      await stream.hearsTweet("from far above");
    });

    it("the home stream includes retweets, and nothing of strangers, muted or blocked users", async () => {
      const muted = await stage.two.newcomer("silenced");
      const blocked = await stage.two.newcomer("shunned");
      for (const name of ["silenced", "shunned"]) await stage.reader.here.follow(name);
      const stream = await stage.listens("/user");
      await stage.reader.here.post("/@silenced/mute").expect(303);
      await stage.reader.here.post("/@shunned/block").expect(303);
      await muted.here.tweet("not a word");
      await blocked.here.tweet("not a word");
      await stage.stranger.here.tweet("of a stranger");
      await stage.author.here
        .post(`/tweets/${await stage.newestBy("stranger")}/retweet`)
        .expect(303);
      await stream.hearsTweet("of a stranger");
      await stage.author.here.tweet("the end");
      await stream.hearsTweet("the end");
      expect(stream.texts).toEqual(["of a stranger", "the end"]);
    });

    it("the home stream reports deletions of tweets it sent, retweets too", async () => {
      const stream = await stage.listens("/user");
      await stage.author.here.tweet("soon gone");
      const { status } = await stream.hearsTweet("soon gone");
      await stage.author.there.post(`/tweets/${await stage.newestBy("author")}/delete`).expect(303);
      await stream.stream.hears("delete", status.id);

      await stage.stranger.here.tweet("retweeted and gone");
      const original = await stage.newestBy("stranger");
      await stage.author.here.post(`/tweets/${original}/retweet`).expect(303);
      const { status: retweet } = await stream.hearsTweet("retweeted and gone");
      await stage.stranger.there.post(`/tweets/${original}/delete`).expect(303);
      await stream.stream.hears("delete", retweet.id);
    });

    it("a stream that is opened again has nothing from before it was opened", async () => {
      const first = await stage.listens("/user");
      await stage.author.here.tweet("heard by the first");
      await first.hearsTweet("heard by the first");
      first.stream.leave();
      await stage.author.here.tweet("missed, @reader");
      await stage.two.world.delivered();
      const second = await stage.listens("/user");
      await stage.author.here.tweet("heard by the second");
      await second.hearsTweet("heard by the second");
      expect(second.events).toEqual(["update"]);
    });
  });

  describe("the notification stream", () => {
    it("notifications are streamed one by one, on the user stream and the notification stream", async () => {
      const streams = [
        await stage.listens("/user"),
        await stage.listens("/user/notification"),
        await stage.listens("?stream=user:notification"),
      ];
      await stage.reader.here.tweet("please like");
      await stage.author.there.post(`/tweets/${await stage.newestBy("reader")}/like`).expect(303);
      await stage.stranger.there.tweet("hello @reader");
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

    it("notifications are not streamed to an app without the scope", async () => {
      const narrow = await stage.listens("/user", {
        as: await tokenFor(stage.two.world, "reader", "read:statuses"),
      });
      const wide = await stage.listens("/user");
      await stage.stranger.here.tweet("once more @reader");
      await wide.hearsNotification("mention");
      await stage.author.here.tweet("after that");
      await narrow.hearsTweet("after that");
      expect(narrow.events).toEqual(["update"]);
    });
  });
});
