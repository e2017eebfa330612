import type { Ctx } from "../../context.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { type UserId, stampAt } from "../ids.ts";
import { toEntries } from "../page.ts";
import { parseStoredSubject, serializeSubject, type Subject } from "./audit.ts";

/** What moderators decided about a report. */
export const outcomes = ["acted", "none"] as const;
export type Outcome = (typeof outcomes)[number];

/** A report as its reporter sees it. `stamp`: of the decision; of the report while it is open. */
export type OwnReport = Awaited<ReturnType<typeof ownReports>>[number];

/** TTL of decided reports and of what their reporters are told. */
export const resolvedSeconds = ttlOf("outcomes");

/** Lists a decision for its reporters. May run twice. */
export async function tellReporters(
  ctx: Ctx,
  reporters: UserId[],
  subject: Subject,
  outcome: Outcome,
): Promise<void> {
  const spelled = serializeSubject(subject);
  const stamp = stampAt(ctx.now(), spelled.slice(1));
  const told = `${spelled} ${outcome}`;
  const lists = reporters.map(keys.outcomes);
  await Promise.all(lists.map((key) => ctx.redis.addAnyway(key, stamp, told)));
  const commands = lists.flatMap((key): Command[] => [
    ["zremrangebyrank", key, 0, -mostOf("outcomes") - 1],
    ["expire", key, resolvedSeconds],
  ]);
  await exec(ctx.redis, commands);
}

/** Removes what reporters were told about a subject. */
export async function forgetOutcomes(ctx: Ctx, reporters: UserId[], subject: Subject) {
  const members = outcomes.map((outcome) => `${serializeSubject(subject)} ${outcome}`);
  await execEach(ctx.redis, reporters, (reporter) => ["zrem", keys.outcomes(reporter), ...members]);
}

/** The open reports of a user, then those that were decided, newest first. */
export async function ownReports(ctx: Ctx, user: UserId) {
  const [open, decided] = await Promise.all(
    [keys.reportsBy(user), keys.outcomes(user)].map(async (key) =>
      toEntries(await ctx.redis.zrange(key, 0, "-1", "REV", "WITHSCORES")),
    ),
  );
  return [...(open ?? []), ...(decided ?? [])].map(({ id, stamp }) => {
    const [subject = "", word] = id.split(" ");
    const state: Outcome | "open" = outcomes.find((outcome) => outcome === word) ?? "open";
    return { subject: parseStoredSubject(subject), state, stamp };
  });
}
