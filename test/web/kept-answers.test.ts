import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import express from "express";
import { expect, it } from "vitest";
import { Recording } from "../../src/domain/scope.ts";
import { decode, getEncoded } from "../support/actors/encoded-response.ts";
import { serve } from "../support/world/serve.ts";
import { KeptPages } from "../../src/web/server/page-cache.ts";

it("a kept answer is whole, also if it is compressed better while its repeat is counted", async () => {
  const pages = new KeptPages(10_000_000, Date.now);
  const gate = new EventEmitter();
  let isOpen = true;
  const text = "A sparrow sat on the wire. ".repeat(400) + Math.random().toString(36).repeat(200);
  const fast = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
  const app = express().get("/", async (_req, res) => {
    if (await pages.send("page", res)) return;
    pages.watch("page", res, new Recording(Date.now()));
    res.locals.kept = true;
    res.locals.countRepeat = async () => {
      if (!isOpen) await once(gate, "open");
      return new Map([["x-counted", "1"]]);
    };
    res.setHeader("Content-Encoding", "br");
    res.setHeader("Content-Length", fast.length);
    res.end(fast);
  });
  const site = await serve(app);
  const whole = async () => {
    const answer = await getEncoded(site.port, "/");
    expect(decode(answer).toString()).toBe(text);
    return Number(answer.headers["content-length"]);
  };
  expect(await whole()).toBe(fast.length);
  await sleep(1100);
  // This one has it compressed better; the next one is counted meanwhile.
  await whole();
  isOpen = false;
  const waiting = whole();
  await sleep(300);
  gate.emit("open");
  expect(await waiting).toBeLessThan(fast.length);
  await site.close();
});

it("a kept answer is not sent if it has become old while its repeat was counted", async () => {
  const pages = new KeptPages(10_000_000, Date.now);
  const recordings: Recording[] = [];
  const app = express().get("/", async (_req, res) => {
    if (await pages.send("page", res)) return;
    const recording = new Recording(Date.now());
    recordings.push(recording);
    pages.watch("page", res, recording);
    res.locals.kept = true;
    res.locals.countRepeat = async () => {
      recording.spoil();
      return new Map();
    };
    res.end(Buffer.from(`made ${recordings.length}`));
  });
  const site = await serve(app);
  const get = async () => decode(await getEncoded(site.port, "/")).toString();
  expect([await get(), await get()]).toEqual(["made 1", "made 2"]);
  await site.close();
});
