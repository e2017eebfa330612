import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { dropToken, locateToken } from "../../../src/domain/apps/tokens.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { createApp } from "../../../src/web/app.ts";
import { listen } from "../../../src/web/server/listen.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { tokenFor } from "../../support/actors/app-listener.ts";
import { SocketListener } from "../../support/actors/socket-listener.ts";
import { createStreamingScene, type StreamingScene } from "../../support/world/streaming-scene.ts";
import { appOptions } from "../../support/world/world.ts";

describe("a WebSocket of the API", () => {
  let stage: StreamingScene;
  let token: string;
  const open: SocketListener[] = [];

  beforeAll(async () => {
    stage = await createStreamingScene();
    token = await tokenFor(stage.two.world, "reader");
  });
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
    stage.leave();
  });
  afterAll(() => stage.close());

  const url = (rest = "", port = stage.site.port) =>
    `ws://127.0.0.1:${port}/api/v1/streaming${rest}`;

  async function opens(rest = "", protocols = [token]): Promise<SocketListener> {
    const one = new SocketListener(url(rest), protocols);
    open.push(one);
    return await one.opened();
  }

  it("several streams come on one connection, each event with its stream", async () => {
    const socket = await opens();
    socket.subscribe("user");
    socket.subscribe("hashtag", { tag: "Wrens" });
    socket.subscribe("public:local");
    await stage.stranger.there.tweet("seen #wrens");
    await socket.hearsTweet(["hashtag", "Wrens"], "seen");
    await socket.hearsTweet(["public:local"], "seen");
    await stage.author.there.tweet("at home, for @reader");
    const { payload = "" } = await socket.hearsTweet(["user"], "at home");
    await socket.hearsTweet(["public:local"], "at home");
    const told = await socket.hears(({ event }) => event === "notification");
    expect(told.stream).toEqual(["user"]);
    expect(JSON.parse(told.payload ?? "")).toMatchObject({ type: "mention" });
    const { id } = JSON.parse(payload) as { id: string };
    await stage.author.there.post(`/tweets/${await stage.newestBy("author")}/delete`).expect(303);
    for (const name of ["user", "public:local"])
      await socket.hears(
        (one) => one.event === "delete" && one.payload === id && one.stream?.[0] === name,
      );
  });

  it("a stream that is left is silent, and others go on", async () => {
    const socket = await opens("?stream=public");
    socket.subscribe("user");
    socket.subscribe("user");
    await stage.author.here.tweet("on both");
    await socket.hearsTweet(["user"], "on both");
    await socket.hearsTweet(["public"], "on both");
    socket.say({ type: "unsubscribe", stream: "public" });
    socket.say({ type: "unsubscribe", stream: "hashtag", tag: "never" });
    // Answered in the order of the messages.
    socket.subscribe("nonsense");
    await socket.hears(({ error }) => error !== undefined);
    await stage.author.here.tweet("on one");
    await socket.hearsTweet(["user"], "on one");
    const updates = socket.heard.filter(({ event }) => event === "update");
    const streams = updates.map(({ stream }) => stream?.[0]);
    expect(new Set(streams.slice(0, 2))).toEqual(new Set(["public", "user"]));
    expect(streams.slice(2)).toEqual(["user"]);
  });

  it("the token is the protocol, a parameter or a header", async () => {
    const ways = [
      new SocketListener(url("?stream=user"), [token, "other"]),
      new SocketListener(url(`?stream=user&access_token=${token}`)),
      new SocketListener(url("?stream=user"), [], {
        headers: { Authorization: `Bearer ${token}` },
      }),
      new SocketListener(url("/user"), [token], { origin: "https://other.example" }),
    ];
    open.push(...ways);
    for (const one of ways) await one.opened();
    await stage.author.here.tweet("however it came");
    for (const one of ways) await one.hearsTweet(["user"], "however it came");
    expect(ways[0]?.socket.protocol).toBe(token);
  });

  it("a handshake is refused as any other request is", async () => {
    const narrow = await tokenFor(stage.two.world, "reader", "read:notifications");
    const refused: [string, string[], number][] = [
      ["", [], 401],
      ["?stream=user", ["1.wrong"], 401],
      ["?stream=public", [(await ApiClient.app(stage.two.world)).token ?? ""], 401],
      ["?stream=user", [narrow], 403],
      ["?stream=nonsense", [token], 422],
      ["?stream=list&list=1", [token], 404],
      ["/nonsense", [token], 404],
    ];
    for (const [rest, protocols, status] of refused)
      await expect(opens(rest, protocols)).rejects.toThrow(`answered ${status}`);
    const elsewhere = new SocketListener(url().replace("/api/v1/streaming", "/about"));
    await expect(elsewhere.opened()).rejects.toThrow("answered 200");
  });

  it("messages that cannot be followed are answered with an error, and the connection stays", async () => {
    const socket = await opens("", [await tokenFor(stage.two.world, "reader", "read:statuses")]);
    const messages: [unknown, number][] = [
      [{ type: "subscribe", stream: "nonsense" }, 422],
      [{ type: "subscribe", stream: "hashtag" }, 422],
      [{ type: "subscribe" }, 422],
      [{ type: "subscribe", stream: "user:notification" }, 403],
      [{ type: "subscribe", stream: "list", list: "7" }, 403],
      [{ type: "nonsense" }, 422],
      [{ type: "subscribe", stream: { __proto__: null, length: 3 } }, 422],
      [["subscribe"], 422],
      [null, 422],
      [7, 422],
    ];
    for (const [message] of messages) socket.say(message);
    socket.socket.send("{not JSON");
    await socket.hears(() => socket.heard.length > messages.length);
    expect(socket.heard.map(({ status }) => status)).toEqual([
      ...messages.map(([, status]) => status),
      422,
    ]);
    expect(socket.heard[0]?.error).toBe("Validation failed: stream could not be understood.");
    socket.subscribe("user");
    await stage.author.here.tweet("still there");
    await socket.hearsTweet(["user"], "still there");
  });

  it("a connection has 30 streams at most", async () => {
    const socket = await opens();
    for (let nth = 0; nth < 31; nth += 1) socket.subscribe("hashtag", { tag: `tag${nth}` });
    const { error } = await socket.hears((one) => one.error !== undefined);
    expect(error).toBe("Validation failed: At most 30 streams fit on one connection.");
  });

  describe("its end", () => {
    it("a WebSocket ends with its token, and others stay", async () => {
      const revoked = await tokenFor(stage.two.world, "reader");
      const [one, silent] = [await opens("?stream=user", [revoked]), await opens("", [revoked])];
      const kept = await opens("?stream=user");
      const location = locateToken(revoked);
      if (location !== undefined) await dropToken(stage.two.world.ctx, location);
      stage.two.world.pass(61_000);
      for (const { ended } of [one, silent]) expect(await ended).toBe(1008);
      await stage.author.here.tweet("to who stayed");
      await kept.hearsTweet(["user"], "to who stayed");
    });

    it("a WebSocket ends with the suspension of its user", async () => {
      await stage.two.newcomer("rascal");
      const socket = await opens("?stream=public", [await tokenFor(stage.two.world, "rascal")]);
      await suspendUser(stage.two.world.ctx, await getUserByName(stage.two.world.ctx, "rascal"));
      expect(await socket.ended).toBe(1008);
    });

    it("WebSockets and streams of events count together: the oldest ends", async () => {
      await stage.two.newcomer("eager");
      const eager = await tokenFor(stage.two.world, "eager");
      const oldest = await opens("?stream=user", [eager]);
      for (let nth = 0; nth < 5; nth += 1) await stage.listens("/user", { as: eager });
      const newest = await opens("?stream=public", [eager]);
      expect(await oldest.ended).toBe(1008);
      await stage.stranger.here.tweet("to the newest");
      await newest.hearsTweet(["public"], "to the newest");
    });

    it("a WebSocket ends when the process ends, without delaying it", async () => {
      const ending = new AbortController();
      const { ctx } = stage.two.world;
      const app = createApp(ctx, { ...appOptions, ending: ending.signal });
      const config = { ...ctx.config, port: 0, host: "127.0.0.1", baseUrl: undefined };
      const closing = await listen(app, config, () => ending.abort());
      const port = Number(new URL(closing.url).port);
      const polite = new SocketListener(url("?stream=user", port), [token]);
      const deaf = new SocketListener(url("?stream=user", port), [token]);
      open.push(polite, deaf);
      for (const one of [polite, deaf]) await one.opened();
      await stage.author.here.tweet("before the end");
      await polite.hearsTweet(["user"], "before the end");
      deaf.socket.pause();
      await closing.close();
      expect(await polite.ended).toBe(1001);
    });
  });
});
