import { setTimeout as sleep } from "node:timers/promises";
import { boot } from "../../../src/boot.ts";
import type { Ctx } from "../../../src/context.ts";
import { examine, type Result } from "../../../src/doctor/examine.ts";
import { untilIdle } from "./inside.ts";
import type { Lab } from "./lab.ts";
import { configInside } from "./site.ts";

const patience = 60_000;
/** Nothing is written any more, so data that is a moment old must be right, too. */
const manners = { minAge: 0, pause: 500 };

/** The doctor (`npm run doctor`) finds nothing, within a minute. `settings`: where the site keeps its files. */
export async function checkDoctor(lab: Lab, redisUrl: string, settings = {}): Promise<void> {
  const began = performance.now();
  for (;;) {
    const result = await askDoctor(redisUrl, { settings });
    const took = performance.now() - began;
    if (result.findings.length === 0) {
      lab.report.notes.push(`the doctor found nothing ${(took / 1000).toFixed(1)} s later`);
      return;
    }
    if (took > patience) {
      for (const { kind, key, detail } of result.findings)
        lab.report.problem(`the doctor finds ${kind}`, `${key}: ${detail}`);
      return;
    }
    lab.say(`the doctor finds ${Object.keys(result.counts).join(", ")}`);
    await sleep(3000, undefined, { signal: lab.ended });
  }
}

/** A failover may have lost the last second, and the doctor restores consistency: that is the promise. */
export async function repairAfterFailover(lab: Lab, ctx: Ctx, redisUrl: string): Promise<void> {
  // What a job is about to settle, the doctor leaves to it.
  await untilIdle(ctx, patience);
  const { counts } = await askDoctor(redisUrl, { repair: true });
  const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  lab.report.notes.push(`the doctor repaired ${kinds.join(", ") || "nothing"}`);
}

/** One look at all that Redis holds; with `repair` it mends what it can. */
export async function askDoctor(
  redisUrl: string,
  { repair = false, settings = {} } = {},
): Promise<Result> {
  const config = configInside(settings);
  const { ctx, queues, close } = await boot(config, { urls: redisUrl.split(",") });
  try {
    return await examine(ctx, queues, { ...manners, repair, progress: () => {} });
  } finally {
    await close();
  }
}
