import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tokenFor } from "../support/actors/app-listener.ts";
import { SocketListener } from "../support/actors/socket-listener.ts";
import { createStreamingScene, type StreamingScene } from "../support/world/streaming-scene.ts";

describe("hostile clients of WebSockets", () => {
  let stage: StreamingScene;
  let token: string;
  const open: SocketListener[] = [];

  beforeAll(async () => {
    stage = await createStreamingScene();
    token = await tokenFor(stage.two.world, "reader");
  });
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });
  afterAll(() => stage.close());

  async function opens(): Promise<SocketListener> {
    const one = new SocketListener(`ws://127.0.0.1:${stage.site.port}/api/v1/streaming`, [token]);
    open.push(one);
    return await one.opened();
  }

  it("large messages, bytes and floods end the connection", async () => {
    const large = await opens();
    large.socket.send("a".repeat(5000));
    expect(await large.ended).toBe(1009);
    const bytes = await opens();
    bytes.socket.send(Buffer.from([1, 2, 3]));
    expect(await bytes.ended).toBe(1003);
    for (const frame of ["ping", "pong", "text"] as const) {
      const flood = await opens();
      for (let nth = 0; nth < 1500; nth += 1)
        if (frame === "text") flood.socket.send("{}");
        else flood.socket[frame]();
      expect([frame, await flood.ended]).toEqual([frame, 1008]);
    }
    const pieces = await opens();
    for (let nth = 0; nth < 20; nth += 1) pieces.socket.send("a", { fin: false });
    expect(await pieces.ended).toBe(1008);
  });

  it("malformed frames and handshakes end the connection, and the site goes on", async () => {
    const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const unmasked = Buffer.from([0x81, 0x01, 0x61]);
    const reserved = Buffer.from([0xf1, 0x81, 0, 0, 0, 0, 0x61]);
    const wrongText = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]);
    const loose = Buffer.from([0x80, 0x81, 0, 0, 0, 0, 0x61]);
    for (const frame of [unmasked, reserved, wrongText, loose])
      expect(
        await answerTo(stage.site.port, Buffer.concat([Buffer.from(handshake(token, key)), frame])),
      ).toMatch(/^HTTP\/1.1 101 /);
    for (const malformed of ["", "Sec-WebSocket-Version: 12\r\n", key.replace("dG", "!!")])
      expect(await answerTo(stage.site.port, Buffer.from(handshake(token, malformed)))).toMatch(
        /^HTTP\/1.1 400 /,
      );
    const behind = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
    expect(
      await answerTo(stage.site.port, Buffer.from(behind + handshake(token, key))),
    ).not.toMatch(/ 101 /);
    const upgrade = "Host: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n";
    expect(
      await answerTo(stage.site.port, Buffer.from(`GET /healthz HTTP/1.1\r\n${upgrade}\r\n`)),
    ).toMatch(/ 200 /);
    const body = `POST /login HTTP/1.1\r\n${upgrade}Content-Length: 3\r\n\r\nabc`;
    expect(await answerTo(stage.site.port, Buffer.from(body))).toMatch(/^HTTP\/1.1 400 /);
    expect((await stage.site.send({ method: "GET", path: "/healthz" })).status).toBe(200);
  });
});

function handshake(token: string, more: string): string {
  return (
    `GET /api/v1/streaming HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Authorization: Bearer ${token}\r\n${more}\r\n`
  );
}

/** All that the site sends until the connection ends. */
async function answerTo(port: number, sent: Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("latin1").on("data", (text) => (answer += String(text)));
  socket.on("error", () => {});
  socket.write(sent);
  await new Promise((resolve) => {
    socket.once("close", resolve);
  });
  return answer;
}
