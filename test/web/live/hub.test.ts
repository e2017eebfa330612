import { EventEmitter, once } from "node:events";
import { get } from "node:http";
import { PassThrough } from "node:stream";
import express, { type Response } from "express";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { Hub, type LiveStream } from "../../../src/web/live/hub.ts";
import { serve, type Site } from "../../support/world/serve.ts";
import { createWorld, type World } from "../../support/world/world.ts";

/** Counts its beats. */
class Beaten implements LiveStream {
  readonly kind = "page";
  readonly user: UserId;
  readonly wire = this;
  beats = 0;
  ended: string | undefined;

  constructor(user: UserId) {
    this.user = user;
  }

  async isAllowed() {
    return true;
  }
  async update() {}
  isDue() {
    return false;
  }
  stop() {}
  onChange() {}
  beat() {
    this.beats += 1;
  }
  end(why: string) {
    this.beats = 0;
    this.ended = why;
  }
}

describe("the hub", () => {
  let world: World;
  let site: Site;
  let hub: Hub;
  let stream: Beaten;
  /** What it waits for before it takes the stream up. */
  let first: (res: Response) => Promise<unknown>;
  let taken: Promise<unknown>;

  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("listener");
    stream = new Beaten((await getUserByName(world.ctx, "listener")).id);
    hub = new Hub(world.ctx);
    const asks = new EventEmitter();
    taken = once(asks, "taken");
    site = await serve(
      express().get("/", async (_req, res) => {
        await first(res);
        hub.add(stream, res);
        asks.emit("taken");
      }),
    );
  });
  afterEach(async () => {
    hub.close();
    await site.close();
    await world.close();
  });

  it("a full hub makes room for a new stream: a user with the most streams loses the oldest", () => {
    const streams = Array.from({ length: 5000 }, (_, nth) => new Beaten(userId((nth >> 2) + 1)));
    const own = new Beaten(userId(9999));
    for (const one of [own, ...streams.slice(1)]) hub.add(one, new PassThrough());
    hub.requireRoom();
    // The first user has three, each of the others four.
    const [oldest, ...others] = streams.slice(4).map(({ ended }) => ended);
    expect([own.ended, streams[1]?.ended, oldest]).toEqual([undefined, undefined, "over"]);
    expect(others).toEqual(others.map(() => undefined));
  });

  it("the hub polls for a stream while its listener is connected", async () => {
    let left: Promise<unknown> = Promise.resolve();
    first = async (res) => void (left = once(res, "close"));
    const asked = get({ port: site.port, host: "127.0.0.1" }).on("error", () => {});
    await taken;
    expect(stream.beats).toBe(1);
    asked.destroy();
    await left;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(stream.beats).toBe(1);
  });

  it("the hub does not poll for a listener that left before the start", async () => {
    const asked = get({ port: site.port, host: "127.0.0.1" }).on("error", () => {});
    first = async (res) => {
      asked.destroy();
      await once(res, "close");
    };
    await taken;
    expect(stream.beats).toBe(0);
  });
});
