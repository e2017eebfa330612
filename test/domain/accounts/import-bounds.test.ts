import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { continueImport } from "../../../src/domain/accounts/import.ts";
import { findImport, readPart } from "../../../src/domain/accounts/import-store.ts";
import type { Ctx } from "../../../src/context.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { keys } from "../../../src/redis/keys.ts";
import {
  timeAt,
  exportFileWith,
  importAll,
  importFile,
  fileTweets,
  previewImport,
  startImport,
} from "../../support/data/account-files.ts";
import {
  newPerson,
  readGlobalPage,
  readHomePage,
  readUserPage,
} from "../../support/actors/people.ts";
import { countTweets } from "../../support/inspect/counts.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";

describe("an import of a hostile file", () => {
  let world: World;
  let ctx: Ctx;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterEach(() => world.close());

  const run = (user: UserId, file: Buffer) => importFile(ctx, user, file);

  it("an import takes ten tweets of one timestamp, and reads no more of them", async () => {
    const user = await newPerson(ctx);
    const items = Array.from({ length: 250 }, (_, nth) => ({
      text: `no. ${nth}`,
      created_at: timeAt(1),
    }));
    const file = exportFileWith({ tweet: items });
    const progress = await run(user, file);
    expect(progress).toMatchObject({ items: 250, tweets: 10, skipped: { moment: 240 } });
    expect(await countTweets(ctx, user)).toBe(10);
    expect(await run(user, file)).toMatchObject({ tweets: 0, known: 10, skipped: { moment: 240 } });
    const more = exportFileWith({
      tweet: [{ text: "one more", created_at: timeAt(1) }, ...fileTweets("other")],
    });
    // That of `tweets` is of the same moment.
    expect(await run(user, more)).toMatchObject({ tweets: 0, skipped: { moment: 2 } });
    const later = exportFileWith({ tweet: [{ text: "one more", created_at: timeAt(2) }] });
    expect(await run(user, later)).toMatchObject({ tweets: 1, skipped: {} });
  });

  it("an import looks once at what exists, however many tweets share a timestamp", async () => {
    const user = await newPerson(ctx);
    const moment = 1_600_000_000_000_000;
    const here = Array.from({ length: 1500 }, (_, nth) => 5_000_000 + nth);
    await ctx.redis.zadd(keys.userTimeline(user), ...here.flatMap((tweet) => [moment, tweet]));
    const items = Array.from({ length: 100 }, (_, nth) => ({
      text: `${nth}`,
      created_at: timeAt(0),
    }));
    await startImport(ctx, user, exportFileWith({ tweet: items }));
    const sent = vi.spyOn(ctx.redis, "pipeline").mock.calls;
    expect(await importAll(ctx, user)).toMatchObject({ skipped: { moment: 100 } });
    expect(sent.flatMap(([commands]) => commands as unknown[]).length).toBeLessThan(100);
  });

  it("an import cannot reach the newest tweets, nor make a tag trend", async () => {
    const user = await newPerson(ctx);
    const fan = await newPerson(ctx);
    await follow(ctx, { follower: fan, followee: user });
    const ago = (hours: number) => new Date(ctx.now() - hours * 3_600_000).toISOString();
    const items = [
      { text: "now #loud", created_at: ago(0) },
      { text: "just now #loud", created_at: ago(23) },
      { text: "old #loud", created_at: ago(25) },
    ];
    const progress = await run(user, exportFileWith({ tweet: items }));
    expect(progress).toMatchObject({ tweets: 1, skipped: { recent: 2 } });
    expect((await readHomePage(ctx, fan)).items.map(({ text }) => text)).toEqual(["old #loud"]);
    expect((await readGlobalPage(ctx)).items).toEqual([]);
    expect(await ctx.redis.exists(keys.tagUses)).toBe(0);
    expect(await ctx.redis.zcard(keys.tag("loud"))).toBe(1);
  });
});

describe("an import", () => {
  let world: World;
  let ctx: Ctx;
  beforeEach(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterEach(() => world.close());

  /** The import looks as if it had not begun, as it did to a request that is storing the next file. */
  const lookNew = async (user: UserId) =>
    await ctx.redis.hset(keys.import(user), "wish", "preview");

  it("an import that is replaced in its last step leaves the new import whole", async () => {
    const user = await newPerson(ctx);
    await startImport(ctx, user, exportFileWith({ tweet: fileTweets("one", "two") }));
    let isReplaced = false;
    const redis = new Proxy(ctx.redis, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || name === "pipeline") return value;
        if (name === "multi") return value.bind(target) as unknown;
        return async (...args: unknown[]): Promise<unknown> => {
          const isLast = name === "updateIf" && String(args.at(-1)).includes('"done":true');
          if (isLast && !isReplaced) {
            isReplaced = true;
            await lookNew(user);
            await startImport(
              ctx,
              user,
              exportFileWith({ tweet: fileTweets("three", "four", "five") }),
            );
          }
          return await (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    await continueImport({ ...ctx, redis }, user);
    expect(await importAll(ctx, user)).toMatchObject({ items: 3, tweets: 3 });
    expect(await countTweets(ctx, user)).toBe(5);
  });

  it("two imports sent at once leave one whole file, never a mixture", async () => {
    for (let rounds = 0; rounds < 5; rounds += 1) {
      const user = await newPerson(ctx);
      const files = ["a", "b"].map((letter) =>
        exportFileWith({
          tweet: fileTweets(...Array.from({ length: 5000 }, (_, nth) => `${letter}${nth}`)),
        }),
      );
      await Promise.all(files.map((file) => previewImport(ctx, user, file)));
      const { parts = 0, id = "" } = (await findImport(ctx, user)) ?? {};
      const kept = [];
      for (let part = 0; part < parts; part += 1)
        kept.push(...(await readPart(ctx, user, { id, part })));
      const letters = kept.map((item) => (item.kind === "tweet" ? item.text.slice(0, 1) : ""));
      expect(letters).toHaveLength(5000);
      expect(new Set(letters).size).toBe(1);
      // What lost is not kept.
      const left = await findKeys(ctx.redis, `user:${user}:import_items*`);
      expect(left).toEqual([keys.importItems(user, id)]);
    }
  });

  it("a later import replaces an earlier one and its remaining work", async () => {
    const user = await newPerson(ctx);
    await startImport(ctx, user, exportFileWith({ tweet: fileTweets("one", "two") }));
    await lookNew(user);
    await importFile(ctx, user, exportFileWith({ tweet: fileTweets("three") }));
    expect((await readUserPage(ctx, user)).items).toMatchObject([{ text: "three" }]);
    expect((await findImport(ctx, user))?.total).toBe(1);
    expect(await findKeys(ctx.redis, `user:${user}:import_items*`)).toEqual([]);
    expect(await ctx.redis.ttl(keys.import(user))).toBeGreaterThan(6 * 86_400);
    expect(await ctx.redis.ttl(keys.imported(user))).toBeGreaterThan(29 * 86_400);
  });
});
