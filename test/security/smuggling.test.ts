import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../src/web/server/listen.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("request smuggling", () => {
  let world: World;
  let site: Listening;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const config = { ...world.ctx.config, port: 0, host: "127.0.0.1" };
    site = await listen(world.app, config);
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  /** All that the site says until it closes the connection. */
  async function say(raw: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
      let heard = "";
      socket.setEncoding("utf8").on("data", (chunk) => (heard += String(chunk)));
      socket.once("close", () => resolve(heard)).once("error", reject);
      socket.write(raw);
    });
  }

  const head = "POST /login HTTP/1.1\r\nHost: localhost\r\n";
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

  it.each([
    ["a length and chunks", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"],
    ["chunks and a length", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n"],
    ["two lengths", "Content-Length: 4\r\nContent-Length: 5\r\n"],
    ["a length that is none", "Content-Length: +4\r\n"],
    ["chunks that are not last", "Transfer-Encoding: chunked, identity\r\n"],
    ["a space before the colon", "Content-Length : 4\r\n"],
    ["a header on two lines", "X-One: 1\r\n two\r\nContent-Length : 4\r\n"],
  ])(
    "an ambiguous request length is refused with 400, and the connection closed: %s",
    async (_, headers) => {
      const heard = await say(`${head}${headers}\r\n0\r\n\r\n${smuggled}`);
      expect(heard).toMatch(/^HTTP\/1\.1 400 /);
      expect(heard.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    },
  );

  it("a bad chunk size is refused", async () => {
    const heard = await say(`${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${smuggled}`);
    expect(heard.match(/HTTP\/1\.1 200/g)).toBeNull();
    expect(heard).toContain("HTTP/1.1 400 ");
  });
});
