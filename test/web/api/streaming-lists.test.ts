import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

describe("streams of lists", () => {
  let stage: StreamingScene;

  beforeAll(async () => {
    stage = await createStreamingScene();
  });
  afterEach(() => stage.leave());
  afterAll(() => stage.close());

  describe("public streams", () => {
    it("the public stream has tweets of all users visible to the viewer", async () => {
      const noisy = await stage.two.newcomer("noisy");
      await stage.reader.here.post("/@noisy/mute").expect(303);
      const mine = await stage.listens("/public");
      const theirs = await stage.listens("?stream=public:local", {
        as: await tokenFor(stage.two.world, "author"),
      });
      await noisy.there.tweet("noise");
      await stage.stranger.there.tweet("for all");
      for (const stream of [mine, theirs]) await stream.hearsTweet("for all");
      expect(mine.texts).toEqual(["for all"]);
      expect(theirs.texts).toEqual(["noise", "for all"]);
      const { status } = await theirs.hearsTweet("for all");
      await stage.stranger.here
        .post(`/tweets/${await stage.newestBy("stranger")}/delete`)
        .expect(303);
      for (const stream of [mine, theirs]) await stream.stream.hears("delete", status.id);
    });

    it("the stream of a list has tweets of its members, for its owner only", async () => {
      const made = await stage.reader.here.post("/lists", { title: "Birds" }).expect(303);
      const members = made.headers["location"] ?? "";
      await stage.reader.here.post(members, { name: "author" }).expect(303);
      const list = /\d+/.exec(members)?.[0] ?? "";
      const streams = [
        await stage.listens(`/list?list=${list}`),
        await stage.listens(`?stream=list&list=${list}`),
      ];
      await stage.stranger.there.tweet("by no member");
      await stage.author.there.tweet("by a member");
      for (const stream of streams) {
        await stream.hearsTweet("by a member");
        expect(stream.texts).toEqual(["by a member"]);
      }
      const as = await tokenFor(stage.two.world, "author");
      await expect(stage.listens(`/list?list=${list}`, { as })).rejects.toThrow("answered 404");
    });

    it("the hashtag stream has tweets with the hashtag", async () => {
      const streams = [
        await stage.listens("/hashtag?tag=Sparrows"),
        await stage.listens("?stream=hashtag:local&tag=sparrows"),
      ];
      await stage.stranger.here.tweet("of no concern");
      await stage.stranger.here.tweet("see #SPARROWS");
      for (const stream of streams) {
        await stream.hearsTweet("see");
        expect(stream.texts).toEqual(["see #SPARROWS"]);
      }
    });

    it("a public stream continues where it ended, while others listen", async () => {
      const others = await stage.listens("/public", {
        as: await tokenFor(stage.two.world, "author"),
      });
      const first = await stage.listens("/public");
      await stage.stranger.here.tweet("heard by all");
      const { id: lastHeard } = await first.hearsTweet("heard by all");
      first.stream.leave();
      await stage.stranger.here.tweet("heard by one");
      await others.hearsTweet("heard by one");
      const second = await stage.listens("/public", { lastHeard });
      await stage.stranger.here.tweet("heard by both");
      await second.hearsTweet("heard by both");
      await others.hearsTweet("heard by both");
      expect(second.texts).toEqual(["heard by one", "heard by both"]);
      expect(others.texts).toEqual(["heard by all", "heard by one", "heard by both"]);
    });

    it("a stream of an unsupported list is empty", async () => {
      for (const path of ["?stream=direct", "?stream=public:remote", "/public?only_media=true"])
        await stage.listens(path);
    });
  });
});
