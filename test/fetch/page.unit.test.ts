import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTrap, isIP } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config.ts";
import { fetchPage } from "../../src/fetch/page.ts";

const config = parseConfig({});
/** Only tests may reach this machine. */
const open = { config: { ...config, pushToLoopback: true } };
const html = { "Content-Type": "text/html; charset=utf-8" };

const leadTo =
  (location: string): RequestListener =>
  (req, res) =>
    req.url === "/start"
      ? res.writeHead(302, { Location: location }).end()
      : res.writeHead(200, html).end("there");

const round = (most: number): RequestListener => {
  let hops = 0;
  return (_req, res) =>
    (hops += 1) <= most
      ? res.writeHead(301, { Location: `/${hops}` }).end()
      : res.writeHead(200, html).end("there");
};

describe("the page at an address of a user", () => {
  let server: Server;
  let url = "";
  let answer: RequestListener;
  beforeAll(async () => {
    server = createServer((req, res) => answer(req, res));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const read = async (listener: RequestListener) => {
    answer = listener;
    return (await fetchPage(open, `${url}/start`))?.html;
  };
  it("a page of HTML is read, also behind three redirects", async () => {
    expect(await read((_req, res) => res.writeHead(200, html).end("<p>hello"))).toBe("<p>hello");
    expect(await read(leadTo("/end"))).toBe("there");
    expect(await read(round(3))).toBe("there");
    expect(await read(round(4))).toBeUndefined();
  });

  it("a page at a private address, in any spelling or behind a name or a redirect, is not connected to", async () => {
    let visits = 0;
    const trap = createTrap((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    const { port } = trap.address() as AddressInfo;
    const hosts = ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"];
    for (const host of hosts)
      for (const address of [
        `https://${host}:${port}/`,
        `http://${host}:${port}/`,
        `https://${host}/`,
      ])
        expect(await fetchPage({ config }, address)).toBeUndefined();
    for (const addresses of [["127.0.0.1"], ["::1"], ["10.0.0.1"], ["93.184.216.34", "127.0.0.1"]])
      for (const address of ["https://bird.example/", `https://bird.example:${port}/`])
        expect(
          await fetchPage({ config }, address, (_name, _options, found) =>
            found(
              null,
              addresses.map((one) => ({ address: one, family: isIP(one) })),
            ),
          ),
        ).toBeUndefined();
    // 127.0.0.2 stands for the network of the host: only 127.0.0.1 is open to tests.
    for (const location of [
      `http://127.0.0.2:${port}/`,
      `https://[::1]:${port}/`,
      "file:///etc/passwd",
    ])
      expect(await read(leadTo(location))).toBeUndefined();
    expect(visits).toBe(0);
    trap.close();
  });

  it("neither plain http nor an unusual port nor a password is asked", async () => {
    let asked = 0;
    const resolveName = () => void (asked += 1);
    for (const address of [
      "http://bird.example/",
      "https://bird.example:8443/",
      "https://a:b@bird.example/",
      "ftp://bird.example/",
    ])
      expect(await fetchPage({ config }, address, resolveName)).toBeUndefined();
    expect(asked).toBe(0);
  });

  it("what is no page, is packed or is an error is not read", async () => {
    expect(await read((_req, res) => res.writeHead(404, html).end("x"))).toBeUndefined();
    expect(await read((_req, res) => res.writeHead(200).end("x"))).toBeUndefined();
    const json = { "Content-Type": "application/json" };
    expect(await read((_req, res) => res.writeHead(200, json).end("{}"))).toBeUndefined();
    const packed = { ...html, "Content-Encoding": "gzip" };
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    expect(await read((_req, res) => res.writeHead(200, packed).end(bomb))).toBeUndefined();
    expect(await read((_req, res) => void res.destroy())).toBeUndefined();
  });

  it("of a page without end half a megabyte is read, and the connection ends", async () => {
    let isClosed = false;
    const text = await read((req, res) => {
      req.once("close", () => (isClosed = true));
      res.writeHead(200, html);
      const write = () => {
        while (!res.destroyed && res.write("x".repeat(10_000)));
      };
      res.on("drain", write);
      write();
    });
    expect(text).toHaveLength(512 * 1024);
    await expect.poll(() => isClosed).toBe(true);
  });
});
