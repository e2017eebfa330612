import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/domain/push/endpoints.ts";
import type { Subscription } from "../../src/domain/push/subscription.ts";
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
    let visits = 0;
    const trap = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    const { port } = trap.address() as AddressInfo;
    const { ctx } = world;
    for (const host of ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])
      expect([host, await sendPush(ctx, to(`https://${host}:${port}/`), "x")]).toEqual([
        host,
        "refused",
      ]);
    expect(visits).toBe(0);
    const open = { ...ctx, config: { ...ctx.config, pushToLoopback: true } };
    // The trap works: it takes the connection and ends it before the push is sent.
    expect(await sendPush(open, to(`https://127.0.0.1:${port}/`), "x")).toBe("later");
    expect(visits).toBe(1);
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
