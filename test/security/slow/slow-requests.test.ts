import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../../src/web/server/listen.ts";
import { password } from "../../support/actors/visitor.ts";
import { picture } from "../../support/data/pictures.ts";
import { sessionCookie } from "../../support/inspect/cookies.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("slow requests", () => {
  let world: World;
  let site: Listening;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    site = await listen(world.app, { ...world.ctx.config, port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  /** Sends the beginning at once, then a byte a second; seconds until the site closes the connection. */
  async function secondsOpen(beginning: string): Promise<number> {
    return await new Promise((resolve) => {
      const began = performance.now();
      const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
      socket.on("error", () => {}).resume();
      socket.write(beginning);
      const drip = setInterval(() => socket.write("a"), 1000);
      socket.once("close", () => {
        clearInterval(drip);
        resolve((performance.now() - began) / 1000);
      });
    });
  }

  async function signedIn() {
    await world.newcomer("slow");
    const answer = await world.visitor().post("/login", { name: "slow", password }).expect(303);
    const [key = "", value = ""] = sessionCookie(answer).split(/=(.*)/s);
    return { key, value };
  }

  const head = "POST /login HTTP/1.1\r\nHost: localhost\r\n";
  const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n";
  const parts =
    "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n--b\r\n";

  it.concurrent.each([
    ["its headers, after 15 s", `${head}X-Slow: `, 15],
    ["its body, after 30 s", `${head}${form}name=`, 30],
    [
      "the parts of its body, after 30 s",
      `${head.replace("login", "settings/avatar")}${parts}`,
      30,
    ],
    [
      "its body to an app's endpoint, after 30 s",
      `${head.replace("login", "api/v1/apps")}${form}`,
      30,
    ],
  ])(
    "an unfinished request is cut off in %s",
    async (_, beginning, limit) => {
      const seconds = await secondsOpen(beginning);
      // Connections are looked at every few seconds.
      expect(seconds).toBeLessThan(limit + 7);
    },
    90_000,
  );

  it.concurrent(
    "a picture of a slow line may take longer than a form",
    async () => {
      const { key, value } = await signedIn();
      const file = await picture("png");
      const before = Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="avatar"; filename="me.png"\r\n' +
          "Content-Type: image/png\r\n\r\n",
      );
      const body = Buffer.concat([before, file, Buffer.from("\r\n--b--\r\n")]);
      const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
      const answered = text(socket);
      socket.write(
        "POST /settings/avatar HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
          `Cookie: ${key}=${value}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
          `Content-Length: ${body.length}\r\n\r\n`,
      );
      const part = Math.ceil(body.length / 40);
      for (let start = 0; start < body.length; start += part) {
        socket.write(body.subarray(start, start + part));
        await sleep(1000);
      }
      expect(await answered).toMatch(/^HTTP\/1\.1 303 /);
    },
    90_000,
  );
});
