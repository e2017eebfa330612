import type { JobsOptions, Queue } from "bullmq";
import type { Ctx, ReportNotice } from "../context.ts";
import { readSite } from "../domain/site/settings.ts";
import { siteUrl } from "../domain/site-url.ts";

const timeoutMilliseconds = 5000;
/** Min milliseconds between two alerts for one job. */
const alertPause = 60 * 60 * 1000;

/** The chore that tells of a dead letter. */
export const alertName = "tell-of-dead-letter";
/** The chore that tells of a report. */
export const reportName = "tell-of-report";

/** Chores that speak to a webhook: given up without another alert. */
export function isAlert(name: string): boolean {
  return name === alertName || name === reportName;
}

export interface DeadLetter {
  queue: string;
  job: string;
  attempts: number;
  reason: string;
}

/** Tried for over an hour, then given up without another alert. */
const alertOptions: JobsOptions = {
  attempts: 14,
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
  await chores.add(alertName, letter, alertOnce(`${letter.queue}-${letter.job}`));
}

/** Promises a message about a report: at most once an hour for a subject, however many report it. */
export async function promiseReportAlert(chores: Queue, report: ReportNotice): Promise<void> {
  await chores.add(reportName, report, alertOnce(`report-${report.subject}`));
}

function alertOnce(id: string): JobsOptions {
  return { ...alertOptions, deduplication: { id, ttl: alertPause } };
}

/** Tells ALERT_WEBHOOK_URL of a dead letter. Throws unless the webhook confirms it. */
export async function sendAlert(ctx: Ctx, letter: DeadLetter): Promise<void> {
  const { queue, job, attempts, reason } = letter;
  const text = `Suzume: job ${job} of queue ${queue} failed for good after ${attempts} attempts: ${reason}. It is kept; try it again or delete it under /admin/queues.`;
  await send(ctx.config.alertWebhookUrl, text);
}

/** Tells REPORT_WEBHOOK_URL of a report. Throws unless the webhook confirms it. */
export async function sendReportAlert(ctx: Ctx, { subject, reason }: ReportNotice): Promise<void> {
  const { name } = await readSite(ctx);
  const what = subject.startsWith("t") ? "a tweet" : "an account";
  const url = siteUrl(ctx, "/admin/reports");
  await send(ctx.config.reportWebhookUrl, `${name}: ${what} was reported (${reason}): ${url}`);
}

/** In Slack's format. Does nothing without an address. */
async function send(webhook: string | undefined, text: string): Promise<void> {
  if (webhook === undefined) return;
  const answer = await fetch(webhook, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  // The text does not matter; reading it frees the connection.
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the alert webhook answered ${answer.status}`);
}
