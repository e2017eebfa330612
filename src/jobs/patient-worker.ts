import { setTimeout as sleep } from "node:timers/promises";
import { type Job, Worker } from "bullmq";

/**
 * Seconds that a worker blocks on an empty queue. A connection that is silent for longer than the worker
 * profile's `socketTimeout` is closed, so this must be well below it.
 */
export const blockSeconds = 1;
/** Milliseconds before asking a queue again after Redis refused. */
const refusedMilliseconds = 1000;

/** BullMQ's worker with short blocking and with pauses when Redis gives no job. */
export class PatientWorker<Data, Result> extends Worker<Data, Result> {
  /** BullMQ's default would block for up to 10 s if a job is due later. */
  protected override getBlockTimeout(until: number): number {
    return Math.min(super.getBlockTimeout(until), blockSeconds);
  }

  /** BullMQ's default would ask again at once, thousands of times a second, if Redis is full. */
  protected override async moveToActive(token: string, name?: string): Promise<Job<Data, Result>> {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      if (this.closing === undefined) await sleep(refusedMilliseconds);
      throw error;
    }
  }
}
