import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { boot } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { migrate, newest, startUpgrade } from "../../src/migrations/migrate.ts";
import { type Migration, migrations as all } from "../../src/migrations/migrations.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { emptyRedis, testAddress } from "../support/world/test-redis.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { createWorld, appOptions, type World } from "../support/world/world.ts";

/** A migration of several steps that notes what it does. */
function recorded(log: string[], number: number, steps = 3): Migration {
  return {
    version: number,
    does: `note ${number}`,
    async step(_, cursor) {
      const at = Number(cursor ?? 0);
      log.push(`${number}:${at}`);
      await sleep(5);
      return at + 1 < steps ? String(at + 1) : undefined;
    },
  };
}

describe("the data", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  beforeEach(async () => {
    await emptyRedis(world.ctx.redis);
  });
  afterAll(() => world.close());

  const version = async () => await world.ctx.redis.hget(keys.siteData, "version");

  /** As a site from before there were migrations left it. */
  const makeOld = async () => await world.ctx.redis.set(keys.userIds, "3");

  it("the data of a new site has the newest version without a migration", async () => {
    const log: string[] = [];
    await migrate(world.ctx, { migrations: [recorded(log, 1), recorded(log, 2)] });
    expect(log).toEqual([]);
    expect(await version()).toBe("2");
  });

  it("the data of an old site is migrated in order, once", async () => {
    const log: string[] = [];
    const migrations = [recorded(log, 1), recorded(log, 2)];
    await makeOld();
    await migrate(world.ctx, { migrations });
    await migrate(world.ctx, { migrations });
    expect(log).toEqual(["1:0", "1:1", "1:2", "2:0", "2:1", "2:2"]);
    expect(await version()).toBe("2");
    await migrate(world.ctx, { migrations: [...migrations, recorded(log, 3, 1)] });
    expect(log.slice(6)).toEqual(["3:0"]);
    expect(await world.ctx.redis.exists(keys.siteLock)).toBe(0);
  });

  it("a migration goes on where a process stopped", async () => {
    const log: string[] = [];
    const whole = recorded(log, 1);
    const dying: Migration = {
      ...whole,
      async step(ctx, cursor) {
        if (cursor === "2") throw new Error("killed");
        return await whole.step(ctx, cursor);
      },
    };
    await makeOld();
    await expect(migrate(world.ctx, { migrations: [dying] })).rejects.toThrow("killed");
    expect(await version()).toBe("0");
    await migrate(world.ctx, { migrations: [whole] });
    expect(log).toEqual(["1:0", "1:1", "1:2"]);
    expect(await version()).toBe("1");
  });

  it("one process migrates while others wait", async () => {
    const log: string[] = [];
    const migrations = [recorded(log, 1, 20), recorded(log, 2)];
    await makeOld();
    await Promise.all(Array.from({ length: 4 }, () => migrate(world.ctx, { migrations })));
    expect(log).toHaveLength(23);
    expect(new Set(log).size).toBe(23);
  });

  it("another process migrates when the lock of a dead one has lapsed", async () => {
    const log: string[] = [];
    await makeOld();
    await world.ctx.redis.set(keys.siteLock, "a process that was killed", "EX", 1);
    await migrate(world.ctx, { migrations: [recorded(log, 1)] });
    expect(log).toHaveLength(3);
  });

  it("a process that lost its lock does not change the version", async () => {
    const log: string[] = [];
    const { redis } = world.ctx;
    const frozen: Migration = {
      version: 1,
      does: "sleep through it",
      async step() {
        await redis.hset(keys.siteData, "version", "2");
        await redis.set(keys.siteLock, "another process", "EX", 1);
        return undefined;
      },
    };
    await makeOld();
    await migrate(world.ctx, { migrations: [frozen, recorded(log, 2)] });
    expect(log).toEqual([]);
    expect(await version()).toBe("2");
  });

  it("the data of a newer program is refused in a sentence that says what to do", async () => {
    await world.ctx.redis.hset(keys.siteData, "version", String(newest + 1));
    await expect(migrate(world.ctx)).rejects.toThrow(
      `is of version ${newest + 1}, made by a newer Suzume; this one knows version ${newest} at most. Start the newer`,
    );
  });

  it("half-restored data is refused", async () => {
    await world.ctx.redis.hset(keys.siteData, "restoring", "yes");
    await expect(migrate(world.ctx)).rejects.toThrow("npm run restore -- FILE --overwrite");
  });

  it("an upgrade goes on after an outage", async () => {
    const log: string[] = [];
    await makeOld();
    let refused = 0;
    const unlucky: Migration = {
      ...recorded(log, 1, 1),
      async step(ctx, cursor) {
        refused += 1;
        if (refused < 3) throw new Error("LOADING Redis is loading the dataset in memory");
        return await recorded(log, 1, 1).step(ctx, cursor);
      },
    };
    await startUpgrade(world.ctx, { migrations: [unlucky] }).done;
    expect(log).toEqual(["1:0"]);
  });

  it("pages answer 503 until the data is upgraded, and /readyz says why", async () => {
    const { redis } = world.ctx;
    await makeOld();
    await redis.set(keys.siteLock, "another process");
    const booted = await boot(parseConfig({ LOG_LEVEL: "silent" }), testAddress());
    const app = createApp(booted.ctx, { ...appOptions, redis: booted.redis });
    const visitor = new Visitor(app);
    const { status, text } = await visitor.get("/readyz");
    expect([status, text]).toEqual([503, expect.stringContaining("another process")]);
    for (const path of ["/", "/explore", "/api/v1/timelines/public", "/about"]) {
      const page = await visitor.get(path).expect(503);
      expect(page.headers["retry-after"]).toBeDefined();
    }
    await visitor.get("/healthz").expect(200);
    await redis.del(keys.siteLock);
    await booted.current;
    await visitor.get("/explore").expect(200);
    await visitor.get("/readyz").expect(200);
    expect(await version()).toBe(String(newest));
    await booted.close();
  });
});

describe("the migrations", () => {
  it("migrations are numbered without a gap", () => {
    expect(all.map(({ version }) => version)).toEqual(all.map((_, index) => index + 1));
  });
});
