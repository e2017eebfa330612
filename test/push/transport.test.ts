import { createServer, isIP } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/domain/push/endpoints.ts";
import type { Subscription } from "../../src/domain/push/subscriptions.ts";
import { sendPush } from "../../src/push/transport.ts";
import { PushDevice } from "../support/actors/push-device.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the way to a push service", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(() => world.close());

  it("a name that leads to a private address is not connected to, and neither is such an address", async () => {
    const trap = await openTrap();
    const { ctx } = world;
    for (const host of ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
      expect([host, await sendPush(ctx, to(`https://${host}:${trap.port}/`), "x")]).toEqual([
        host,
        "refused",
      ]);
    expect(trap.visits()).toBe(0);
    const open = { ...ctx, config: { ...ctx.config, pushToLoopback: true } };
    // The trap works: it takes the connection and ends it before the push is sent.
    expect(await sendPush(open, to(`https://127.0.0.1:${trap.port}/`), "x")).toBe("later");
    expect(trap.visits()).toBe(1);
    trap.close();
  });

  it("a public name with a private address, in any spelling and beside public ones, is not connected to", async () => {
    const trap = await openTrap();
    const { ctx } = world;
    const outcome = async (name: string, addresses: string[], pushToLoopback = false) => {
      const found = addresses.map((address) => ({ address, family: isIP(address) }));
      const config = { ...ctx.config, pushToLoopback };
      const endpoint = to(`https://${name}:${trap.port}/`);
      return await sendPush({ ...ctx, config }, endpoint, "x", (_name, _options, answer) => {
        answer(null, found);
      });
    };
    for (const addresses of [
      ["192.168.1.1"],
      ["127.0.0.1"],
      ["::1"],
      ["::ffff:127.0.0.1"],
      ["::ffff:c0a8:101"],
      ["64:ff9b::c0a8:101"],
      ["fe80::1%eth0"],
      ["2606:4700:4700::1111", "127.0.0.1"],
      ["127.0.0.1", "2606:4700:4700::1111"],
      [],
    ])
      expect([addresses, await outcome("192.168.1.1.nip.io", addresses)]).toEqual([
        addresses,
        "refused",
      ]);
    for (const number of ["2130706433", "0x7f.1", "127.1", "127.0.0.1.", "[::ffff:7f00:1]"])
      expect([number, await outcome(number, ["127.0.0.1"])]).toEqual([number, "refused"]);
    expect(trap.visits()).toBe(0);
    // The answer of the look-up decides: where it is allowed, the trap is reached.
    expect(await outcome("192.168.1.1.nip.io", ["127.0.0.1"], true)).toBe("later");
    expect(trap.visits()).toBe(1);
    trap.close();
  });

  it("a push service that cannot be reached may be tried again", async () => {
    const open = { ...world.ctx, config: { ...world.ctx.config, pushToLoopback: true } };
    expect(await sendPush(open, to("http://127.0.0.1:1/"), "x")).toBe("later");
  });

  it("addresses of private networks are not public", () => {
    const config = { pushToLoopback: false };
    for (const address of ["127.0.0.1", "10.0.0.1", "172.31.255.255", "192.168.0.1", "0.0.0.0"])
      expect([address, isPublicAddress(config, address)]).toEqual([address, false]);
    for (const address of ["::1", "::", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "2002:7f00:1::"])
      expect([address, isPublicAddress(config, address)]).toEqual([address, false]);
    for (const address of ["8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::200e"])
      expect([address, isPublicAddress(config, address)]).toEqual([address, true]);
    expect(isPublicAddress(config, "example.org")).toBe(false);
  });
});

/** A server on this machine that counts the connections and ends them. */
async function openTrap() {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, visits: () => visits, close: () => server.close() };
}

function to(endpoint: string): Subscription {
  return {
    ...new PushDevice(endpoint).keys,
    endpoint,
    holder: { by: "browser", id: "x", device: "" },
    alerts: new Set(["mention"]),
    policy: "all",
    standard: true,
    createdAt: 1,
    failing: undefined,
    stored: "",
  };
}
