import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { editTweet } from "../../../src/domain/actions/edit-tweet.ts";
import { tweetId, userId } from "../../../src/domain/ids.ts";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { SocketListener } from "../../support/actors/socket-listener.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";

interface Seen {
  uri: string;
  account: { id: string };
}

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

    it("no stream has tweets or edits of users who blocked the viewer, or whom the viewer blocked", async () => {
      const { ctx } = stage.two.world;
      const shy = await stage.two.newcomer("shy_one");
      const pushy = await stage.two.newcomer("pushy_one");
      const url = `ws://127.0.0.1:${stage.site.port}/api/v1/streaming?stream=user`;
      const socket = await new SocketListener(url, [
        await tokenFor(stage.two.world, "reader"),
      ]).opened();
      socket.subscribe("public");
      socket.subscribe("hashtag", { tag: "blocks" });
      for (const one of [shy, pushy]) await one.here.tweet("seen before #blocks");
      await socket.hears(() => socket.heard.length >= 4);
      const seen = socket.heard.flatMap(({ stream, payload = "" }) =>
        stream?.[0] === "public" ? [JSON.parse(payload) as Seen] : [],
      );
      await shy.there.post("/@reader/block").expect(303);
      await stage.reader.there.post("/@pushy_one/block").expect(303);
      const edited = { text: "out of sight, edited", pictures: [], sensitive: false };
      for (const { uri, account } of seen)
        await editTweet(ctx, userId(account.id), tweetId(uri.split("/").at(-1) ?? ""), edited);
      for (const one of [shy, pushy]) await one.there.tweet("out of sight, @reader #blocks");
      await stage.author.there.tweet("in sight #blocks");
      for (const stream of [["user"], ["public"], ["hashtag", "blocks"]])
        await socket.hearsTweet(stream, "in sight");
      socket.socket.terminate();
      expect(seen.length).toBe(2);
      expect(JSON.stringify(socket.heard)).not.toContain("out of sight");
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

    it("a stream of an unsupported list is empty", async () => {
      for (const path of ["?stream=public:remote", "/public?only_media=true"])
        await stage.listens(path);
    });
  });
});
