import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userId, stampAt } from "../../../../src/domain/ids.ts";
import { hostNumbers } from "../../../../src/domain/site/numbers.ts";
import { noteDelivery } from "../../../../src/domain/statistics.ts";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { createApp } from "../../../../src/web/app.ts";
import type { Visitor } from "../../../support/actors/visitor.ts";
import { sessionCookie } from "../../../support/inspect/cookies.ts";
import { openEventStream } from "../../../support/actors/event-stream.ts";
import {
  type Family,
  parseMetrics,
  samplesOf,
  sumOf,
} from "../../../support/inspect/prometheus.ts";
import { primaries } from "../../../support/world/redis-nodes.ts";
import { serve } from "../../../support/world/serve.ts";
import {
  appOptions,
  connectToTestRedis,
  createWorld,
  type World,
} from "../../../support/world/world.ts";

const baseUrl = "http://site.test";

describe("the figures of /metrics", () => {
  let world: World;
  let ann: Visitor;
  beforeAll(async () => {
    world = await createWorld({
      baseUrl,
      dataDir: tmpdir(),
      trustProxy: 1,
      limits: { "searches:account": 3 },
      limitFactor: 1,
    });
    ann = await world.newcomer("ann");
    await ann.tweet("A first one");
    await world.delivered();
  });
  afterAll(() => world.close());

  async function read(app = world.app): Promise<Map<string, Family>> {
    const { text } = await request(app).get("/metrics").expect(200);
    return parseMetrics(text);
  }

  /** By how much a series grew while `work` ran. */
  async function growth(work: () => Promise<unknown>, name: string, labels = {}): Promise<number> {
    const before = sumOf(await read(), name, labels);
    await work();
    return sumOf(await read(), name, labels) - before;
  }

  const visits =
    (...paths: string[]) =>
    async () => {
      for (const path of paths) await ann.get(path);
    };

  it("/metrics is what Prometheus reads: types, names, units, whole histograms, no series twice", async () => {
    await world.visitor().get("/nothing").expect(404);
    const families = await read();
    expect(families.size).toBeGreaterThan(40);
    for (const name of ["suzume_http_seconds", "suzume_delivery_seconds"])
      expect(families.get(name)?.type).toBe("histogram");
  });

  it("promtool, where it is installed, complains only of how the library names gauges of Node", async ({
    skip,
  }) => {
    const { text: input } = await request(world.app).get("/metrics").expect(200);
    const { error, stderr } = spawnSync("promtool", ["check", "metrics"], { input });
    if (error !== undefined) skip("promtool is not installed");
    const complaints = String(stderr).trim().split("\n");
    expect(complaints.filter((one) => !/^nodejs_\w+_total non-counter/.test(one))).toEqual([]);
  });

  it("each metric of Suzume is in the table of docs/operations.md, and no other is", async () => {
    const docs = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8");
    const rows = docs.split("\n").filter((line) => line.startsWith("| `suzume_"));
    const documented = rows.flatMap((row) => row.split("|")[1]?.match(/suzume_\w+/g) ?? []);
    const names = [...(await read()).keys()].filter((name) => name.startsWith("suzume_"));
    expect(names.toSorted()).toEqual(documented.toSorted());
  });

  it("requests count by the pattern of their route, kept pages too, and other addresses as one", async () => {
    const profile = { method: "GET", route: "/@:name", status: "200" };
    const reads = visits("/@ann", "/@ann", "/@ANN");
    expect(await growth(reads, "suzume_http_requests_total", profile)).toBeGreaterThanOrEqual(2);
    const strays = visits("/one", "/two/three", "/one");
    const other = { route: "other", status: "404" };
    expect(await growth(strays, "suzume_http_requests_total", other)).toBe(3);
    const api = visits("/api/v1/statuses/1");
    const endpoint = { route: "/api/v1/statuses/:id" };
    expect(await growth(api, "suzume_http_requests_total", endpoint)).toBe(1);
    const routes = samplesOf(await read(), "suzume_http_requests_total");
    expect(routes.filter(({ labels }) => /ann|one/.test(labels["route"] ?? ""))).toEqual([]);
  });

  it("pages count as made in full, and as sent again", async () => {
    const once = visits("/explore?fresh");
    expect(await growth(once, "suzume_kept_pages_made_total")).toBe(1);
    expect(await growth(once, "suzume_kept_pages_sent_total")).toBe(1);
  });

  it("a tweet counts when its last home timeline has it, in the bucket of its delay", async () => {
    const post = async () => {
      await ann.tweet("A second one");
      await world.delivered();
    };
    expect(await growth(post, "suzume_delivery_seconds_count")).toBe(1);
    const { ctx } = world;
    const late = () => noteDelivery(ctx, stampAt(ctx.now() - 7000, userId(1)));
    const bucket = "suzume_delivery_seconds_bucket";
    expect(await growth(late, bucket, { le: "10" })).toBe(1);
    expect(await growth(late, bucket, { le: "5" })).toBe(0);
    const sum = await growth(late, "suzume_delivery_seconds_sum");
    expect([sum > 6.9, sum < 17]).toEqual([true, true]);
    const repaired = () => noteDelivery(ctx, stampAt(ctx.now() - 2 * 86_400_000, userId(1)));
    expect(await growth(repaired, "suzume_delivery_seconds_count")).toBe(0);
  });

  it("Redis is timed, and its memory shown, for each of its primaries", async () => {
    const nodes = primaries(world.ctx.redis);
    const families = await read();
    for (const name of ["redis_round_trip_seconds", "redis_memory_used_bytes"]) {
      const samples = samplesOf(families, `suzume_${name}`);
      expect(samples).toHaveLength(nodes.length);
      for (const { value } of samples) expect(value).toBeGreaterThan(0);
    }
    expect(samplesOf(families, "suzume_redis_memory_max_bytes")).toEqual([]);
    await Promise.all(nodes.map((node) => node.config("SET", "maxmemory", "1gb")));
    const limited = sumOf(await read(), "suzume_redis_memory_max_bytes");
    await Promise.all(nodes.map((node) => node.config("SET", "maxmemory", "0")));
    expect(limited).toBe(nodes.length * 2 ** 30);
  });

  it("the disk, the event loop and what there is so far are shown", async () => {
    const families = await read();
    const total = sumOf(families, "suzume_disk_total_bytes");
    expect(total).toBeGreaterThan(0);
    expect(sumOf(families, "suzume_disk_free_bytes")).toBeLessThanOrEqual(total);
    expect(samplesOf(families, "nodejs_eventloop_lag_p99_seconds")).toHaveLength(1);
    expect(sumOf(families, "suzume_accounts_total")).toBeGreaterThanOrEqual(1);
    const { tweets } = await hostNumbers(world.ctx);
    expect(sumOf(families, "suzume_tweets_total")).toBe(tweets);
  });

  it("the last backup is there with its time, once there is one", async () => {
    const name = "suzume_last_backup_timestamp_seconds";
    expect(samplesOf(await read(), name)).toEqual([]);
    await world.ctx.redis.set(keys.backupAt, world.ctx.now());
    expect(sumOf(await read(), name)).toBeCloseTo(world.ctx.now() / 1000, -2);
  });

  it("open streams count while they are open", async () => {
    const site = await serve(world.app);
    const cookie = sessionCookie(await world.visitor().signUp("listener"));
    const page = { kind: "page" };
    const before = sumOf(await read(), "suzume_open_streams", page);
    const stream = await openEventStream(site.port, "/live", { Cookie: cookie });
    expect(stream.status).toBe(200);
    expect(sumOf(await read(), "suzume_open_streams", page)).toBe(before + 1);
    stream.leave();
    await expect.poll(async () => sumOf(await read(), "suzume_open_streams", page)).toBe(before);
    await site.close();
  });

  it("a home timeline that is filled anew counts", async () => {
    const { id } = await getUserByName(world.ctx, "ann");
    const rebuild = async () => {
      await world.ctx.redis.del(keys.homeTimeline(id));
      await ann.get("/").expect(200);
    };
    expect(await growth(rebuild, "suzume_timelines_rebuilt_total")).toBe(1);
  });

  it("searches count by what they are for, and those that a limit refuses by the limit", async () => {
    const searches = visits("/search?q=first", "/search?q=ann&people");
    expect(await growth(searches, "suzume_searches_total", { kind: "tweets" })).toBe(1);
    const flood = visits(...Array.from({ length: 12 }, (_, nth) => `/search?q=bird${nth}`));
    const limit = { limit: "searches" };
    expect(sumOf(await read(), "suzume_refusals_total", limit)).toBe(0);
    expect(await growth(flood, "suzume_refusals_total", limit)).toBeGreaterThan(3);
  });

  it("while Redis is away /metrics has what the process knows, and no series of the site", async () => {
    const away = connectToTestRedis("web", world.ctx.config);
    away.disconnect();
    const app = createApp({ ...world.ctx, redis: away }, appOptions);
    const families = await read(app);
    expect(samplesOf(families, "suzume_redis_round_trip_seconds")).toEqual([]);
    expect(samplesOf(families, "suzume_accounts_total")).toEqual([]);
    expect(samplesOf(families, "suzume_kept_pages_made_total")).toHaveLength(1);
    // A full disk may be why.
    expect(samplesOf(families, "suzume_disk_free_bytes")).toHaveLength(1);
  });
});
