import type { Ctx } from "../context.ts";
import { keys } from "../redis/keys.ts";

const timeoutMilliseconds = 5000;
/** A job that was replayed and failed again after this many seconds is news. */
const toldSeconds = 60 * 60;

export interface DeadLetter {
  queue: string;
  job: string;
  attempts: number;
  reason: string;
}

/**
 * Tells ALERT_WEBHOOK_URL, in Slack's format, of a job that failed for good: once, however many
 * workers noticed. A webhook that does not answer is logged and changes nothing else.
 */
export async function alertOnce(ctx: Ctx, letter: DeadLetter): Promise<void> {
  const { alertWebhookUrl } = ctx.config;
  if (alertWebhookUrl === undefined) return;
  try {
    const told = keys.alerted(letter.queue, letter.job);
    if ((await ctx.redis.set(told, ctx.now(), "EX", toldSeconds, "NX")) === null) return;
    const answer = await fetch(alertWebhookUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text: words(letter) }),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    if (!answer.ok) ctx.log.error({ status: answer.status }, "alert was refused");
  } catch (error) {
    ctx.log.error({ err: error }, "alert could not be sent");
  }
}

function words({ queue, job, attempts, reason }: DeadLetter): string {
  return `Suzume: job ${job} of queue ${queue} failed for good after ${attempts} attempts: ${reason}. It is kept; replay it under /admin/queues.`;
}
