import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { drainable } from "../../src/web/server/listen.ts";
import { inTurn } from "../../src/web/server/slow-readers.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

it("nothing is kept of clients that send hundreds of requests ahead, read nothing and go (R21)", async () => {
  const responses: WeakRef<ServerResponse>[] = [];
  const server = createServer(inTurn((_req, res) => void res.end("a".repeat(60_000))));
  server.prependListener("request", (_req, res) => void responses.push(new WeakRef(res)));
  const close = drainable(server, () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  for (let nth = 0; nth < 20; nth += 1) {
    const client = connect(port, "127.0.0.1").on("error", () => {});
    client.pause();
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200));
    await sleep(30);
    client.destroy();
  }
  const kept = () => responses.filter((one) => one.deref() !== undefined).length;
  for (let tries = 0; tries < 40 && kept() > 40; tries += 1) {
    await sleep(100);
    collectGarbage();
  }
  expect(responses.length).toBeGreaterThan(400);
  expect(kept()).toBeLessThanOrEqual(40);
  await close();
});
