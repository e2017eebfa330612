import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../domain/outage.ts";
import type { Queues } from "../jobs/queue.ts";
import type { Exam } from "./exam.ts";
import { type Finding, needsDecision, type Suspicion } from "./finding.ts";
import { pendingJobs } from "./pending.ts";

/** Concurrent looks, and concurrent repairs. */
const looksAtOnce = 100;
const repairsAtOnce = 8;

/**
 * Looks again at all suspicions, after a pause. What is still wrong, and will not be settled by a job, is
 * reported; with `repair`, it is repaired and looked at once more.
 */
export async function lookAgain(
  exam: Exam,
  queues: Queues,
  { repair, tell }: { repair: boolean; tell(finding: Finding): void },
): Promise<void> {
  const suspicions = [...exam.suspicions.values()];
  exam.suspicions.clear();
  if (suspicions.length === 0) return;
  await sleep(exam.options.pause);
  // Before the look: if a job settles something meanwhile, the look finds it settled.
  const pending = await pendingJobs(queues.all());
  const open = suspicions.filter(({ jobs = [] }) => !jobs.some((job) => pending.has(job)));
  const wrong: { suspicion: Suspicion; detail: string }[] = [];
  await inGroups(open, looksAtOnce, async (suspicion) => {
    const detail = await suspicion.look(pending);
    if (detail !== undefined) wrong.push({ suspicion, detail });
  });
  if (repair) await inGroups(wrong, repairsAtOnce, async ({ suspicion }) => mend(suspicion));
  await inGroups(wrong, looksAtOnce, async ({ suspicion, detail }) => {
    const { kind, key } = suspicion;
    const words = suspicion.mend === undefined ? needsDecision : suspicion.repair;
    const finding: Finding = { kind, key, detail, repair: words };
    if (repair) finding.repaired = (await suspicion.look(pending)) === undefined;
    tell(finding);
  });
}

/** A failed repair shows in the look afterwards; the other repairs continue. */
async function mend(suspicion: Suspicion): Promise<void> {
  try {
    await suspicion.mend?.();
  } catch (error) {
    if (isOutage(error)) throw error;
  }
}

async function inGroups<Item>(
  items: Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size)
    await Promise.all(items.slice(start, start + size).map(work));
}
