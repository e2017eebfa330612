import { setTimeout as pause } from "node:timers/promises";
import type { Metric, Registry } from "prom-client";
import type { Ctx } from "../../../context.ts";
import { hostNumbers } from "../../../domain/site/numbers.ts";
import { deliveryBounds, readDeliveryTimes } from "../../../domain/timelines/delivery-times.ts";

/** Milliseconds to wait for Redis: what the process knows is told in any case. */
const patience = 1500;

/** Without a value there is no series. `suffix`: of a part of a histogram. */
type Sample = [value: number | undefined, labels?: object, suffix?: string];
type Figures = number | boolean | undefined | Sample[];

/** Metrics that are read at the scrape, by name without "suzume_". If reading fails, they have no series. */
export function addMetrics(
  register: Registry,
  table: Record<string, [help: string, read: () => Figures | Promise<Figures>, type?: "histogram"]>,
): void {
  for (const [part, [help, read, shape]] of Object.entries(table)) {
    const name = `suzume_${part}`;
    const type = shape ?? (part.endsWith("_total") ? "counter" : "gauge");
    const get = async () => {
      const late = pause(patience, [], { ref: false });
      const figures = await Promise.race([(async () => read())(), late]).catch(() => []);
      const one = figures === undefined ? undefined : Number(figures);
      const samples: Sample[] = Array.isArray(figures) ? figures : [[one]];
      const values = samples
        .filter(([value]) => value !== undefined)
        .map(([value, labels = {}, suffix = ""]) => ({ value, labels, metricName: name + suffix }));
      return { name, help, type, aggregator: "max", values };
    };
    register.registerMetric({ name, help, type, get } as unknown as Metric);
  }
}

/** Metrics of the whole site, from Redis: the same from each web process, as workers serve none. */
export function addSiteMetrics(ctx: Ctx, register: Registry): void {
  // All are read in one turn, and share one reading of the host.
  let reading: ReturnType<typeof hostNumbers> | undefined;
  const host = () => (reading ??= hostNumbers(ctx).finally(() => (reading = undefined)));
  type Server = Awaited<ReturnType<typeof host>>["servers"][number];
  const each = (read: (server: Server) => number | undefined) => async () =>
    (await host()).servers.map((server): Sample => [read(server), { node: server.address }]);
  const ageOf = (since = Infinity) => Math.max(0, ctx.now() - since) / 1000;
  addMetrics(register, {
    redis_round_trip_seconds: ["Time of a PING now.", each((server) => server.roundTripSeconds)],
    redis_memory_used_bytes: ["Memory that Redis uses.", each(({ usedBytes }) => usedBytes)],
    redis_memory_max_bytes: ["Limit of its memory, if any.", each(({ maxBytes }) => maxBytes)],
    disk_free_bytes: [
      "Free on the disk with DATA_DIR.",
      async () => (await host()).disk?.freeBytes,
    ],
    disk_total_bytes: ["Size of that disk.", async () => (await host()).disk?.totalBytes],
    accounts_total: ["Accounts, deleted ones included.", async () => (await host()).accounts],
    tweets_total: ["Tweets, deleted ones included.", async () => (await host()).tweets],
    last_backup_timestamp_seconds: [
      "When the last backup was complete.",
      async () => ((await host()).backupAt ?? NaN) / 1000 || undefined,
    ],
    jobs: [
      "Jobs in each queue by state; those in state failed are dead letters.",
      async () => (await ctx.jobs.counts()).map(({ count, ...labels }): Sample => [count, labels]),
    ],
    jobs_oldest_waiting_seconds: [
      "Age of the oldest job that waits for a worker.",
      async () =>
        (await ctx.jobs.waitingSince()).map(({ queue, since }): Sample => [
          ageOf(since),
          { queue },
        ]),
    ],
    delivery_seconds: [
      "Time from the POST of a tweet to its last home timeline.",
      async () => {
        const { upTo, count, seconds } = await readDeliveryTimes(ctx);
        const buckets = [...deliveryBounds, "+Inf"].map((le, nth): Sample => [
          upTo[nth] ?? count,
          { le },
          "_bucket",
        ]);
        return [...buckets, [seconds, {}, "_sum"], [count, {}, "_count"]];
      },
      "histogram",
    ],
  });
}
