import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../support/actors/api-client.ts";
import { picture } from "../support/data/pictures.ts";
import { sessionCookie } from "../support/inspect/cookies.ts";
import { serve, type Site } from "../support/world/serve.ts";
import { createWorld, type World } from "../support/world/world.ts";

const multipart = "multipart/form-data; boundary=x";
const urlencoded = "application/x-www-form-urlencoded";
const part = `--x\r\nContent-Disposition: form-data; name="NAME"\r\n\r\n${"a".repeat(90_000)}\r\n`;
const manyParts = Array.from({ length: 40 }, (_, nth) => part.replace("NAME", `f${nth}`)).join("");

/** The beginning of a body, and then nothing; what is answered meanwhile is kept. */
class Silent {
  readonly socket: Socket;
  /** Resolves when the system has taken what is sent. */
  readonly sent: Promise<void>;
  answer = "";

  constructor(port: number, door: string, headers: string, body: string, type = multipart) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setEncoding("utf8").on("data", (chunk) => (this.answer += String(chunk)));
    this.socket.on("error", () => {});
    const head = `${door} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${headers}`;
    this.sent = new Promise((resolve) => {
      this.socket.write(`${head}\r\n\r\n${body}`, () => resolve());
    });
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
    world = await createWorld({ trustProxy: 1 }, { workers: false });
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
    expect(await statuses()).toEqual(new Set(["403"]));
  });

  it("silent bodies of one address have a bounded share of memory; others have theirs", async () => {
    begin(300, "POST /api/v1/apps", "Content-Length: 100000", part);
    const refused = () => open.filter((one) => one.status() === "429").length;
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(100);
    expect(open.filter((one) => one.status() === "none").length).toBeGreaterThan(100);
    expect(open.find((one) => one.status() === "429")?.answer).toContain("Retry-After: 10");
    expect(await logInFrom("192.0.2.1")).toBe(422);
  });

  it("silent forms of a few addresses take no memory by their declared length", async () => {
    open = Array.from({ length: 1200 }, (_, nth) => {
      const from = `X-Forwarded-For: 198.51.100.${nth % 5}\r\nContent-Length: 102400`;
      return new Silent(site.port, "POST /login", from, "", urlencoded);
    });
    await allRead();
    expect(await logInFrom("192.0.2.1")).toBe(422);
    expect(await logInFrom("198.51.100.1")).toBe(422);
  });

  it("silent forms of a whole IPv6 /48 make room for other networks, and for newer forms of their own", async () => {
    open = Array.from({ length: 300 }, (_, nth) => {
      const from = `X-Forwarded-For: 2001:db8:1:${nth.toString(16)}::1\r\nContent-Length: 100000`;
      return new Silent(site.port, "POST /login", from, `name=${"a".repeat(90_000)}`, urlencoded);
    });
    // A connection that ends with unread bytes is reset, so that its answer may be lost on the way.
    const refused = () => open.filter((one) => one.socket.closed || one.status() === "429").length;
    await expect.poll(refused, { timeout: 20_000 }).toBeGreaterThan(100);
    expect(await logInFrom("2001:db8:2::1")).toBe(422);
    expect(await logInFrom("2001:db8:1:9::1")).toBe(422);
  });

  it("silent uploads and imports of a few accounts keep out only themselves", async () => {
    const names = ["kim", "lou", "mia", "noa", "ola", "pia", "rio"];
    const cookies = await Promise.all(
      names.map(async (name) => {
        await world.newcomer(name);
        return sessionCookie(await world.visitor().logIn(name));
      }),
    );
    open = ["/settings/avatar", "/settings/data"].flatMap((path) =>
      [...cookies, ...cookies, ...cookies].map((cookie, nth) => {
        const from = `X-Forwarded-For: 198.51.100.${nth % names.length}`;
        const headers = `${from}\r\nCookie: ${cookie}\r\nContent-Length: 1000000`;
        return new Silent(site.port, `POST ${path}`, headers, part);
      }),
    );
    await allRead();
    const ann = world.visitor();
    await ann.logIn("ann");
    const png = await picture("png");
    const avatar = await ann.agent.post("/settings/avatar").attach("avatar", png, "a.png");
    const imported = await ann.agent.post("/settings/data").attach("file", Buffer.from("{}"), "a");
    expect([avatar.status, imported.status]).toEqual([303, 422]);
  });

  const logInFrom = async (address: string) => {
    const body = `name=a&password=b&next=${"a".repeat(5000)}`;
    const headers = { "X-Forwarded-For": address, "Content-Type": urlencoded };
    return (await site.send({ method: "POST", path: "/login", headers, body })).status;
  };
  /** The site has read everything that was sent before once it answers a request on a new connection. */
  const allRead = async () => {
    await Promise.all(open.map((one) => one.sent));
    await site.send({ method: "GET", path: "/healthz" });
  };
});
