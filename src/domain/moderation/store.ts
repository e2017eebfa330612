import type { Ctx } from "../../context.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { recordsIn } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { type Entry, type Page, readEntries } from "../page.ts";
import { type Outcome, resolvedSeconds, tellReporters } from "./outcomes.ts";
import { serializeSubject, parseStoredSubject, type Subject } from "./audit.ts";

export const reasons = ["spam", "abuse", "illegal", "other"] as const;
export type Reason = (typeof reasons)[number];

/** A user's report about a subject. */
export interface Report {
  reporter: UserId;
  reason: Reason;
  /** May be empty. */
  comment: string;
  stamp: Stamp;
}

/** A subject waiting for a decision. */
export type Case = Awaited<ReturnType<typeof readCases>>[number];

/** Cases per page of the queue; each may have 50 reports. */
export const casesShown = 20;

/**
 * Stores a report and puts its subject into the queue; a repeat replaces the earlier one. False if the
 * reporter has too many open reports. If it is interrupted at any point, reporting again completes it.
 */
export async function keepReport(ctx: Ctx, subject: Subject, report: Report): Promise<boolean> {
  const { reporter, reason, comment, stamp } = report;
  const spelled = serializeSubject(subject);
  const claim = async () =>
    await ctx.redis.addBounded(keys.reportsBy(reporter), 0, spelled, stamp, mostOf("reportsBy"));
  if ((await claim()) === 0) {
    await forgetResolved(ctx, reporter);
    if ((await claim()) === 0) return false;
  }
  const text = JSON.stringify({ reason, comment, stamp });
  const most = mostOf("reportsOf");
  const isKept = await ctx.redis.keepReport(keys.reportsOf(spelled), reporter, text, most);
  // More reports of one subject would add nothing; no decision would end them.
  if (isKept === 0) await ctx.redis.zrem(keys.reportsBy(reporter), spelled);
  else await ctx.redis.zadd(keys.openReports, "NX", stamp, spelled);
  return true;
}

/** An interrupted decision may have left entries in the reporter's list. */
async function forgetResolved(ctx: Ctx, reporter: UserId): Promise<void> {
  const listed = await ctx.redis.zrange(keys.reportsBy(reporter), 0, "-1");
  const cases = listed.map(keys.reportsOf);
  const open = await execEach(ctx.redis, cases, (one) => ["hexists", one, reporter]);
  const resolved = listed.filter((_, index) => open[index] === 0);
  if (resolved.length > 0) await ctx.redis.zrem(keys.reportsBy(reporter), ...resolved);
}

/** Whether a subject is in the queue. */
export async function hasOpenReports(ctx: Ctx, subject: Subject): Promise<boolean> {
  return (await ctx.redis.zscore(keys.openReports, serializeSubject(subject))) !== null;
}

/** A case of the queue; undefined if it was decided. */
export async function findCase(ctx: Ctx, subject: Subject): Promise<Case | undefined> {
  const id = serializeSubject(subject);
  const stamp = await ctx.redis.zscore(keys.openReports, id);
  const [found] = stamp === null ? [] : await readCases(ctx, [{ id, stamp: Number(stamp) }]);
  return found;
}

export async function countOpenCases(ctx: Ctx): Promise<number> {
  return await ctx.redis.zcard(keys.openReports);
}

/**
 * The queue, longest waiting first. A page begins after the stamp `after`; up to a hundred more that share
 * the stamp of the last case are on the same page. `older` is the cursor of the next page, undefined at the end.
 */
export async function openCases(ctx: Ctx, after: Stamp | undefined): Promise<Page<Case>> {
  const key = keys.openReports;
  const range = { before: undefined, after, limit: casesShown, upwards: true };
  const entries = await readEntries(ctx.redis, key, range);
  const last = entries[casesShown - 1] && entries.at(-1)?.stamp;
  const isMore = last !== undefined && (await ctx.redis.zcount(key, `(${last}`, "+inf")) > 0;
  return { items: await readCases(ctx, entries), older: isMore ? last : undefined };
}

async function readCases(ctx: Ctx, entries: Entry[]) {
  const replies = await exec(
    ctx.redis,
    entries.flatMap(({ id }): Command[] => [
      ["hgetall", keys.reportsOf(id)],
      ["hlen", keys.resolvedReports(id)],
    ]),
  );
  return entries.map(({ id, stamp }, index) => ({
    subject: parseStoredSubject(id),
    /** Waiting since this stamp. */
    stamp,
    /** Oldest first; at most 50. */
    reports: toReports(replies[2 * index] as Record<string, string>),
    /** Number of reports closed by the last decision about this subject, within 90 days. */
    earlier: Number(replies[2 * index + 1]),
  }));
}

/**
 * Takes a subject out of the queue and tells its reporters the outcome, if any. Reports made after this read stay in
 * it. May run twice; if it is interrupted, the subject stays in the queue.
 */
export async function resolveReports(ctx: Ctx, subject: Subject, outcome?: Outcome): Promise<void> {
  const spelled = serializeSubject(subject);
  const open = keys.reportsOf(spelled);
  const stored = Object.entries(await ctx.redis.hgetall(open));
  if (stored.length > 0) {
    const resolved = keys.resolvedReports(spelled);
    await ctx.redis.replaceHash(resolved, "", resolvedSeconds, ...stored.flat());
    const reporters = stored.map(([reporter]) => userId(reporter));
    if (outcome !== undefined) await tellReporters(ctx, reporters, subject, outcome);
    // Reports that were changed since are not closed by this decision.
    const answered = await ctx.redis.clearFields(open, ...stored.flat());
    const lists = answered.map((reporter) => keys.reportsBy(userId(reporter)));
    await execEach(ctx.redis, lists, (list) => ["zrem", list, spelled]);
  }
  await ctx.redis.zrem(keys.openReports, spelled);
  // New reports put the subject back by themselves; this is for reports made before it left the queue.
  const stamp = stampAt(ctx.now(), spelled.slice(1));
  if ((await ctx.redis.hlen(open)) > 0)
    await ctx.redis.addAnyway(keys.openReports, "NX", stamp, spelled);
}

function toReports(stored: Record<string, string>): Report[] {
  return recordsIn<Omit<Report, "reporter">>(stored)
    .map(({ field, value }) => ({ ...value, reporter: userId(field) }))
    .toSorted((one, other) => one.stamp - other.stamp);
}
