import { setTimeout as sleep } from "node:timers/promises";
import { type Job, Worker } from "bullmq";

/**
 * Asks again after so many seconds without a job. A connection that is silent for longer than the worker
 * profile's `socketTimeout` is given up, so this must be well below it.
 */
export const blockSeconds = 1;
/** A queue whose Redis refuses to hand out jobs is asked again after this time. */
const refusedMilliseconds = 1000;

/** BullMQ's worker, but that it blocks briefly, and pauses where Redis hands out no job. */
export class PatientWorker<Data, Result> extends Worker<Data, Result> {
  /** BullMQ would block for up to 10 s where a job is due later. */
  protected override getBlockTimeout(until: number): number {
    return Math.min(super.getBlockTimeout(until), blockSeconds);
  }

  /** BullMQ would ask again at once, thousands of times a second, where memory is full. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (this.closing === undefined) await sleep(refusedMilliseconds);
      throw error;
    }
  }
}
