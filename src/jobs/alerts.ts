import type { JobsOptions, Queue } from "bullmq";
import type { Ctx } from "../context.ts";

const timeoutMilliseconds = 5000;
/** Min milliseconds between two alerts for one job. */
const alertPause = 60 * 60 * 1000;

/** The chore that tells of a dead letter. */
export const alertName = "tell-of-dead-letter";

export interface DeadLetter {
  queue: string;
  job: string;
  attempts: number;
  reason: string;
}

/** Tried for over an hour, then given up without another alert. */
const alertOptions: JobsOptions = {
  attempts: 12,
  backoff: { type: "exponential", delay: 1000, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: true,
};

/**
 * Promises an alert to ALERT_WEBHOOK_URL for a dead letter: at most once an hour, however many workers noticed
 * it and however often it is promised.
 */
export async function promiseAlert(ctx: Ctx, chores: Queue, letter: DeadLetter): Promise<void> {
  if (ctx.config.alertWebhookUrl === undefined) return;
  const deduplication = { id: `${letter.queue}-${letter.job}`, ttl: alertPause };
  await chores.add(alertName, letter, { ...alertOptions, deduplication });
}

/** Sends the alert in Slack's format. Throws unless the webhook confirms it. */
export async function sendAlert(ctx: Ctx, letter: DeadLetter): Promise<void> {
  const { alertWebhookUrl } = ctx.config;
  if (alertWebhookUrl === undefined) return;
  const answer = await fetch(alertWebhookUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text: words(letter) }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  // The text does not matter; reading it frees the connection.
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the alert webhook answered ${answer.status}`);
}

function words({ queue, job, attempts, reason }: DeadLetter): string {
  return `Suzume: job ${job} of queue ${queue} failed for good after ${attempts} attempts: ${reason}. It is kept; replay it under /admin/queues.`;
}
