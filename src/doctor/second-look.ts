import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../domain/outage.ts";
import type { Queues } from "../jobs/queue.ts";
import { inBatches } from "./ask.ts";
import type { Exam, Suspicion, Thing } from "./exam.ts";
import { pendingJobs } from "./jobs.ts";
import { reread } from "./walk.ts";

/** Concurrent looks, and concurrent repairs. */
const looksAtOnce = 100;
const repairsAtOnce = 8;

/** Something that is wrong, as the doctor reports it. */
export interface Finding {
  kind: string;
  key: string;
  detail: string;
  /** What --repair does, or did; "needs a decision" if it cannot be repaired automatically. */
  repair: string;
  /** With --repair: whether it is right now. */
  repaired?: boolean;
}

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
  const wrong: { suspicion: Suspicion; detail: string }[] = [];
  await inGroups(suspicions, looksAtOnce, async (suspicion) => {
    const found = await lookAt(exam.again(), suspicion, pending);
    if (found !== undefined) wrong.push({ suspicion, detail: found.detail });
  });
  if (repair)
    await inGroups(wrong, repairsAtOnce, ({ suspicion }) => mend(exam.again(), suspicion, pending));
  await inGroups(wrong, looksAtOnce, async ({ suspicion, detail }) => {
    const { kind, key, fault } = suspicion;
    const finding: Finding = { kind, key, detail, repair: fault?.repair ?? "needs a decision" };
    if (repair) finding.repaired = (await lookAt(exam.again(), suspicion, pending)) === undefined;
    tell(finding);
  });
}

/** What is wrong now, if anything is; without a state if it cannot be read. */
async function lookAt(
  exam: Exam,
  { check, fault, thing }: Suspicion,
  pending: ReadonlySet<string>,
): Promise<{ state?: Thing; detail: string } | undefined> {
  try {
    const present = await reread(exam, thing);
    if (present === undefined) return undefined;
    const [state] = await check.read(exam, [present]);
    const detail = state && fault?.detail(state, exam);
    if (!state || !detail || check.jobs?.(state).some((job) => pending.has(job)) === true)
      return undefined;
    return { state, detail };
  } catch (error) {
    if (isOutage(error)) throw error;
    return { detail: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A failed repair shows in the look afterwards; the other repairs continue. */
async function mend(exam: Exam, suspicion: Suspicion, pending: ReadonlySet<string>): Promise<void> {
  try {
    const found = await lookAt(exam, suspicion, pending);
    if (found?.state !== undefined) await suspicion.fault?.mend?.(exam, found.state);
  } catch (error) {
    if (isOutage(error)) throw error;
  }
}

async function inGroups<Item>(
  items: Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const group of inBatches(items, size)) await Promise.all(group.map(work));
}
