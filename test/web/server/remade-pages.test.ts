import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";
import { afterEach, describe, expect, it } from "vitest";
import { currentScope, Recording } from "../../../src/domain/scope.ts";
import { KeptPages } from "../../../src/web/server/page-cache.ts";
import { serve } from "../../support/world/serve.ts";

type Site = Awaited<ReturnType<typeof serve>>;

describe("a kept page of which only the content has changed", () => {
  let site: Site | undefined;
  let clock = Date.now();
  afterEach(() => site?.close());

  /** Opens a site of one page, which says how it was made. Its content is one of a moment ago. */
  async function open(remake: () => Promise<void>, { isCounted = false } = {}): Promise<void> {
    const pages = new KeptPages(10_000_000, () => clock);
    const again = async () => {
      await remake();
      return Buffer.from("content alone");
    };
    const app = express().get("/", async (_req, res) => {
      if (await pages.send("page", res)) return;
      await pages.wait("page");
      if (await pages.send("page", res)) return;
      if (await pages.refresh("page", res, 300)) return;
      pages.watch("page", res, new Recording(clock));
      const content = new Recording(clock);
      content.expiresAt(clock + 1);
      Object.assign(res.locals, { kept: true, isCounted });
      res.locals.content = { recording: content, bytes: () => 0, remake: again };
      res.end(Buffer.from("in full"));
    });
    site = await serve(app);
    expect(await asked()).toBe("in full");
    clock += 10;
  }

  const url = () => `http://127.0.0.1:${site?.port}/`;
  const asked = async () => await (await fetch(url())).text();

  it("is made of its old frame and new content, and kept", async () => {
    await open(async () => {});
    expect([await asked(), await asked()]).toEqual(["content alone", "content alone"]);
  });

  it("is made in full where a limit counts it", async () => {
    await open(async () => {}, { isCounted: true });
    expect(await asked()).toBe("in full");
  });

  it("is made in full the next time if its new content could not be kept", async () => {
    await open(async () => scope()?.recording?.spoil());
    expect([await asked(), await asked()]).toEqual(["content alone", "in full"]);
  });

  it("is made in full at once if its content cannot be made", async () => {
    await open(async () => {
      throw new Error("gone");
    });
    expect(await asked()).toBe("in full");
  });

  it("has its content made by one request at a time", async () => {
    let count = 0;
    await open(async () => {
      count += 1;
      await sleep(250);
    });
    const all = await Promise.all([asked(), asked(), asked()]);
    expect(all.toSorted()).toEqual(["content alone", "in full", "in full"]);
    expect(count).toBe(1);
  });

  it("asks Redis for no more content after its time", async () => {
    const passed: unknown[] = [];
    await open(async () => {
      passed.push(scope()?.deadline.passed);
      await sleep(400);
      passed.push(scope()?.deadline.passed);
    });
    expect(await asked()).toBe("in full");
    await expect.poll(() => passed).toEqual([false, true]);
  });

  it("asks Redis for no more content once its client has gone, and is made for the next", async () => {
    const passed: unknown[] = [];
    await open(async () => {
      passed.push(scope()?.deadline.passed);
      if (passed.length > 1) return;
      const request = client;
      request?.destroy();
      await expect.poll(() => scope()?.deadline.passed).toBe(true);
      passed.push(true);
      throw new Error("late");
    });
    const client = get(url());
    await once(client, "error");
    await expect.poll(() => passed).toEqual([false, true]);
    expect(await asked()).toBe("content alone");
  });
});

function scope() {
  return currentScope.getStore();
}
