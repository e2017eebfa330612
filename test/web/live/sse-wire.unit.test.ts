import { once } from "node:events";
import { get, createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SseWire } from "../../../src/web/live/wires.ts";

const update = { name: "update", data: '{"content":"<p>雀</p>"}', stream: ["user"] } as const;
const deletion = { name: "delete", data: "12", stream: ["user"] } as const;

describe("the wire of server-sent events", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("an app gets two lines for each event, and a heartbeat apart from them", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const wires: SseWire[] = [];
    const site = express().get("/", (_req, res) => void wires.push(new SseWire(res)));
    const server = createServer(site).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const [answer] = (await once(get({ port, agent: false }), "response")) as [IncomingMessage];
    const chunks: string[] = [];
    answer.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    for (const wire of wires) {
      wire.beat();
      wire.send(update);
      vi.advanceTimersByTime(21_000);
      wire.beat();
      wire.send(deletion);
      wire.end("over");
    }
    await once(answer, "end");
    server.close();
    expect(chunks.join("")).toBe(
      `event: update\ndata: ${update.data}\n\n:thump\nevent: delete\ndata: 12\n\n`,
    );
    // Libraries know a heartbeat by the whole chunk.
    expect(chunks).toContain(":thump\n");
  });
});
