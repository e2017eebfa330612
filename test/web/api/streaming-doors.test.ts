import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dropToken, locateToken } from "../../../src/domain/apps/tokens.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { createApp } from "../../../src/web/app.ts";
import { listen } from "../../../src/web/server/listen.ts";
import { AppListener, tokenFor } from "../../support/actors/app-listener.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";
import { appOptions } from "../../support/world/world.ts";

const signed = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Reads byte by byte, as strict libraries do: a block has two lines. Throws for anything else but heartbeats. */
function twoLineBlocks(bytes: Buffer): { event: string; data: string }[] {
  const blocks: { event: string; data: string }[] = [];
  let [lines, line]: [string[], number[]] = [[], []];
  for (const byte of bytes) {
    if (byte !== 0x0a) {
      line.push(byte);
      continue;
    }
    const text = Buffer.from(line).toString();
    line = [];
    if (text !== "") {
      if (lines.length > 0 || text !== ":thump") lines.push(text);
      continue;
    }
    const [, event] = /^event: ([a-z.]+)$/.exec(lines[0] ?? "") ?? [];
    const [, data] = /^data: (.+)$/.exec(lines[1] ?? "") ?? [];
    if (event === undefined || data === undefined || lines.length !== 2)
      throw new Error(`a strict library does not understand ${JSON.stringify(lines)}`);
    blocks.push({ event, data });
    lines = [];
  }
  if (lines.length + line.length > 0) throw new Error("the stream ends within an event");
  return blocks;
}

describe("a stream of the API", () => {
  let stage: StreamingScene;
  let token: string;

  beforeAll(async () => {
    stage = await createStreamingScene();
    token = await tokenFor(stage.two.world, "reader");
  });
  afterEach(() => stage.leave());
  afterAll(() => stage.close());

  async function answerTo(path: string, headers: Record<string, string> = {}) {
    const { status, text } = await stage.site.send({
      method: "GET",
      path: `/api/v1/streaming${path}`,
      headers,
    });
    return { status, error: (JSON.parse(text) as { error: string }).error };
  }

  describe("its end", () => {
    it("a stream ends within a minute once its token is revoked", async () => {
      const revoked = await tokenFor(stage.two.world, "reader");
      const stream = await stage.listens("/user", { as: revoked });
      const kept = await stage.listens("/user");
      const location = locateToken(revoked);
      if (location !== undefined) await dropToken(stage.two.world.ctx, location);
      stage.two.world.pass(61_000);
      await stream.stream.ended;
      await stage.author.here.tweet("still there");
      await kept.hearsTweet("still there");
    });

    it("a stream ends once its user is suspended", async () => {
      await stage.two.newcomer("nuisance");
      const stream = await stage.listens("/public", {
        as: await tokenFor(stage.two.world, "nuisance"),
      });
      const nuisance = await getUserByName(stage.two.world.ctx, "nuisance");
      await suspendUser(stage.two.world.ctx, nuisance);
      await stream.stream.ended;
    });

    it("a user with many streams loses the oldest", async () => {
      const streams: AppListener[] = [];
      for (let nth = 0; nth < 7; nth += 1) streams.push(await stage.listens("/user"));
      await streams[0]?.stream.ended;
      await stage.author.here.tweet("to the others");
      await streams[1]?.hearsTweet("to the others");
    });

    it("a stream ends when the process ends, without delaying it", async () => {
      const ending = new AbortController();
      const { ctx } = stage.two.world;
      const app = createApp(ctx, { ...appOptions, ending: ending.signal });
      const config = { ...ctx.config, port: 0, host: "127.0.0.1", baseUrl: undefined };
      const closing = await listen(app, config, () => ending.abort());
      const stream = await AppListener.open(Number(new URL(closing.url).port), "/user", token);
      await stage.author.here.tweet("before the end");
      await stream.hearsTweet("before the end");
      await closing.close();
      await stream.stream.ended;
    });
  });

  describe("its form", () => {
    it("a stream is uncached, uncompressed and unbuffered, for any site", async () => {
      const { headers } = (await stage.listens("/user")).stream;
      expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["x-accel-buffering"]).toBe("no");
      expect(headers["content-encoding"]).toBeUndefined();
      expect(headers["access-control-allow-origin"]).toBe("*");
    });

    it("each event of a stream is the lines event and data, and nothing else is sent, as libraries expect", async () => {
      const stream = await stage.listens("/user");
      await stage.author.here.tweet("soon edited");
      const { status } = await stream.hearsTweet("soon edited");
      const id = await stage.newestBy("author");
      const text = "edited, for @reader";
      await stage.author.here.post(`/tweets/${id}/edit`, { text }).expect(303);
      await stream.stream.hearsOf("status.update", (data) => data.includes("edited, for"));
      await stream.hearsNotification("mention");
      await stage.author.here.post(`/tweets/${id}/delete`).expect(303);
      await stream.stream.hears("delete", status.id);
      const blocks = twoLineBlocks(Buffer.from(stream.stream.raw()));
      expect(blocks.map(({ event }) => event)).toEqual(stream.events);
      expect(new Set(stream.events)).toEqual(
        new Set(["update", "status.update", "notification", "delete"]),
      );
      for (const { event, data } of blocks)
        expect(event === "delete" ? data : (JSON.parse(data) as object)).toBeTruthy();
    });

    it("a stream accepts the token in the URL, as browsers need", async () => {
      const stream = await AppListener.open(stage.site.port, `/user?access_token=${token}`, token);
      expect(stream.stream.status).toBe(200);
      stream.stream.leave();
    });

    it("every stream requires a valid token", async () => {
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

    it("a stream requires the scope", async () => {
      const notices = signed(await tokenFor(stage.two.world, "reader", "read:notifications"));
      const statuses = signed(await tokenFor(stage.two.world, "reader", "read:statuses"));
      const refused = { status: 403, error: "This action is outside the authorized scopes" };
      for (const path of ["/user", "/public", "/hashtag?tag=a", "?stream=user"])
        expect(await answerTo(path, notices)).toEqual(refused);
      expect(await answerTo("/user/notification", statuses)).toEqual(refused);
    });

    it("a stream has no other name", async () => {
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
        expect([path, (await answerTo(path, signed(token))).status]).toEqual([path, 422]);
    });

    it("the streaming health check answers", async () => {
      const { status, text } = await stage.site.send({
        method: "GET",
        path: "/api/v1/streaming/health",
      });
      expect({ status, text }).toEqual({ status: 200, text: "OK" });
    });
  });
});
