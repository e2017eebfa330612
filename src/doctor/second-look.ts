import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../domain/outage.ts";
import type { Queues } from "../jobs/queue.ts";
import { forEachOf } from "../domain/concurrency-limit.ts";
import type { Run, Suspect, Target } from "./run.ts";
import { erasuresOf, type Item } from "./items.ts";
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
 * Looks again at all suspects, after a pause. What is still wrong, and will not be settled by a job, is
 * reported; with `repair`, it is repaired and looked at once more.
 */
export async function lookAgain(
  run: Run,
  queues: Queues,
  { repair, tell }: { repair: boolean; tell(finding: Finding): void },
): Promise<void> {
  const suspects = [...run.suspects.values()];
  run.suspects.clear();
  if (suspects.length === 0) return;
  await sleep(run.options.pause);
  // Before the look: if a job settles something meanwhile, the look finds it settled.
  const pending = await pendingJobs(queues.all());
  const wrong: { suspect: Suspect; detail: string }[] = [];
  await forEachOf(suspects, looksAtOnce, async (suspect) => {
    const result = await lookAt(run.again(), suspect, pending);
    if (result !== undefined) wrong.push({ suspect, detail: result.detail });
  });
  if (repair)
    await forEachOf(wrong, repairsAtOnce, ({ suspect }) =>
      tryRepair(run.again(), suspect, pending),
    );
  await forEachOf(wrong, looksAtOnce, async ({ suspect, detail }) => {
    const { kind, key, fault } = suspect;
    const finding: Finding = { kind, key, detail, repair: fault?.how ?? "needs a decision" };
    if (repair) finding.repaired = (await lookAt(run.again(), suspect, pending)) === undefined;
    tell(finding);
  });
}

/** What is wrong now, if anything is; without a state if it cannot be read. */
async function lookAt(
  run: Run,
  { check, fault, target }: Suspect,
  pending: ReadonlySet<string>,
): Promise<{ state?: Target; detail: string } | undefined> {
  try {
    const present = await reread(run, target);
    if (present === undefined) return undefined;
    const [state] = await check.read(run, [present]);
    const detail = state && fault?.detail(state, run);
    if (!state || !detail || jobsFor(check, state).some((job) => pending.has(job)))
      return undefined;
    return { state, detail };
  } catch (error) {
    if (isOutage(error)) throw error;
    return { detail: `cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The jobs that will settle the damage: those of the check, and the erasure of a user whom the item names. */
function jobsFor(check: Suspect["check"], state: Target | Item): string[] {
  return [...("owner" in state ? erasuresOf(state) : []), ...(check.jobs?.(state) ?? [])];
}

/** A failed repair shows in the look afterwards; the other repairs continue. */
async function tryRepair(run: Run, suspect: Suspect, pending: ReadonlySet<string>): Promise<void> {
  try {
    const result = await lookAt(run, suspect, pending);
    if (result?.state !== undefined) await suspect.fault?.repair?.(run, result.state);
  } catch (error) {
    if (isOutage(error)) throw error;
  }
}
