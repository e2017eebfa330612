/** What `npm run bench -- cluster` measures, and what follows for larger clusters by arithmetic. */

/** Of an ordinary author, as docs/scaling.md assumes. */
export const fewFollowers = 150;

interface Costs {
  /** Milliseconds of processor time. */
  workerMsPer10000: number;
  redisMsPer10000: number;
}

interface Growing extends Costs {
  /** The same for tweets to few followers. */
  few: Costs;
}

export interface Growth {
  followers: number;
  single: Growing;
  primaries: Record<string, Growing>;
}

/** Of a primary's core: the rest is for readers. */
const redisShare = 0.5;
/** Of a worker's core. */
const workerShare = 0.7;
/** As in delivery.ts, and ten pages. */
const timelinesAtOnce = 320;
const stretch = 10_000;

/**
 * Deliveries a second with 1 to 64 primaries, for tweets to many and to few followers. A fan-out costs its deliveries,
 * and something for each call; a call is for one primary. The costs of a call are those by which tweets to few
 * followers cost more with 6 primaries than with 1.
 */
export function growthTable(growth: Growth): string {
  const head = ["primaries"];
  for (const followers of [growth.followers, fewFollowers]) {
    const to = `to ${followers.toLocaleString("en")}`;
    head.push(
      `Redis, ms for 10,000 ${to}`,
      "of a single server",
      "worker, ms",
      "deliveries/s",
      "workers",
    );
  }
  const rows = [1, 3, 6, 8, 16, 64].map((primaries) => row(growth, primaries));
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row(growth: Growth, primaries: number): string[] {
  const { "1": one, "6": six } = growth.primaries;
  if (one === undefined || six === undefined) throw new Error("not measured");
  const measured = growth.primaries[primaries];
  const kinds = [
    { followers: growth.followers, now: measured, base: one, single: growth.single },
    { followers: fewFollowers, now: measured?.few, base: one.few, single: growth.single.few },
  ];
  const cells = kinds.flatMap(({ followers, now, base, single }) => {
    const more = callsFor10000(followers, primaries) - callsFor10000(followers, 1);
    const callsBetween = callsFor10000(fewFollowers, 6) - callsFor10000(fewFollowers, 1);
    const cost = (part: keyof Costs) =>
      now?.[part] ??
      base[part] + (more * Math.max(0, six.few[part] - one.few[part])) / callsBetween;
    const [redis, worker] = [cost("redisMsPer10000"), cost("workerMsPer10000")];
    const deliveries = (primaries * redisShare * 1e7) / redis;
    const workers = Math.ceil((deliveries * worker) / 1e7 / workerShare);
    return [
      redis.toFixed(0),
      (redis / single.redisMsPer10000).toFixed(2),
      worker.toFixed(1),
      Number(deliveries.toPrecision(2)).toLocaleString("en"),
      String(workers),
    ];
  });
  return [String(primaries), ...cells];
}

/** Calls that write, for so many deliveries: in each stretch, as many for each primary as its followers need. */
function callsFor10000(followers: number, primaries: number): number {
  let calls = 0;
  for (let start = 0; start < followers; start += stretch) {
    const some = Math.min(stretch, followers - start);
    // Of few followers, not every primary has one.
    const reached = primaries * (1 - (1 - 1 / primaries) ** some);
    calls += reached * Math.max(1, some / primaries / timelinesAtOnce);
  }
  return (calls / followers) * 10_000;
}
