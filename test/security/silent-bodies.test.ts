import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../support/actors/api-client.ts";
import { serve, type Site } from "../support/world/serve.ts";
import { createWorld, type World } from "../support/world/world.ts";

const part = `--x\r\nContent-Disposition: form-data; name="NAME"\r\n\r\n${"a".repeat(90_000)}\r\n`;
const manyParts = Array.from({ length: 40 }, (_, nth) => part.replace("NAME", `f${nth}`)).join("");

/** The beginning of a body, and then nothing; what is answered meanwhile is kept. */
class Silent {
  readonly socket: Socket;
  answer = "";

  constructor(port: number, door: string, headers: string, body: string) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setEncoding("utf8").on("data", (chunk) => (this.answer += String(chunk)));
    this.socket.on("error", () => {});
    const type = "Content-Type: multipart/form-data; boundary=x";
    this.socket.write(
      `${door} HTTP/1.1\r\nHost: localhost\r\n${type}\r\n${headers}\r\n\r\n${body}`,
    );
  }

  status(): string {
    return /^HTTP\/1\.1 (\d+)/.exec(this.answer)?.[1] ?? "none";
  }
}

describe("silent bodies", () => {
  let world: World;
  let site: Site;
  let open: Silent[] = [];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    site = await serve(world.app);
    await world.newcomer("ann");
  });
  afterEach(() => {
    for (const { socket } of open) socket.destroy();
    open = [];
  });
  afterAll(async () => {
    await site.close();
    await world.close();
  });

  const begin = (count: number, door: string, headers: string, body: string) => {
    open = Array.from({ length: count }, () => new Silent(site.port, door, headers, body));
  };
  const statuses = async () => {
    await expect
      .poll(() => open.filter((one) => one.status() === "none").length, { timeout: 20_000 })
      .toBe(0);
    return new Set(open.map((one) => one.status()));
  };
  const chunked = `${manyParts.length.toString(16)}\r\n${manyParts}\r\n`;

  it("silent bodies without a token are answered unread", async () => {
    begin(60, "POST /api/v1/statuses", "Content-Length: 9000000", manyParts);
    expect(await statuses()).toEqual(new Set(["401"]));
  });

  it("silent bodies of strangers' forms are refused by their declared and by their received length", async () => {
    begin(20, "POST /api/v1/apps", "Content-Length: 9000000", manyParts);
    expect(await statuses()).toEqual(new Set(["413"]));
    for (const { socket } of open) socket.destroy();
    begin(20, "POST /api/v1/apps", "Transfer-Encoding: chunked", chunked);
    expect(await statuses()).toEqual(new Set(["413"]));
    const lines = world.logged.filter((line) => line.includes("entity.too.large"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line.length).toBeLessThan(300);
  });

  it("silent bodies bring no picture to a route without uploads, nor with a token that may not change one", async () => {
    const writer = (await ApiClient.of(world, "ann")).token;
    const reader = (await ApiClient.of(world, "ann", "read")).token;
    const length = "Content-Length: 4000000";
    begin(3, "POST /api/v1/statuses", `${length}\r\nAuthorization: Bearer ${writer}`, manyParts);
    expect(await statuses()).toEqual(new Set(["413"]));
    for (const { socket } of open) socket.destroy();
    const door = "PATCH /api/v1/accounts/update_credentials";
    begin(3, door, `${length}\r\nAuthorization: Bearer ${reader}`, manyParts);
    expect(await statuses()).toEqual(new Set(["413"]));
  });

  it("silent bodies of one address have a bounded share of memory; others have theirs", async () => {
    begin(300, "POST /api/v1/apps", "Content-Length: 100000", part);
    const refused = () => open.filter((one) => one.status() === "429").length;
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(20);
    expect(open.filter((one) => one.status() === "none").length).toBeGreaterThan(200);
    expect(open.find((one) => one.status() === "429")?.answer).toContain("Retry-After: 10");
    for (const { socket } of open) socket.destroy();
    await expect
      .poll(async () => (await world.visitor().post("/login", { name: "a", password: "b" })).status)
      .toBe(422);
  });
});
