import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { countInDay } from "../statistics.ts";
import { Invalid } from "../errors.ts";
import { getFeedItem } from "../feeds/thread.ts";
import { type TweetId, userId, type UserId, stampAt } from "../ids.ts";
import { cleanText, fitsGraphemes } from "../users/display-text.ts";
import type { User } from "../users/store.ts";
import { forgetOutcomes } from "./outcomes.ts";
import { hasOpenReports, keepReport, reasons, resolveReports } from "./store.ts";
import { parseStoredSubject, personSubject, serializeSubject, type Subject } from "./audit.ts";

/** Max graphemes of a reporter's comment, and of a moderator's note. */
const commentLimit = 500;

/** A report as the user typed it. */
export interface ReportInput {
  reason: string;
  comment: string;
}

/** Reports a tweet, or a retweet's original, to the admins. Throws NotFound if the reporter may not see it, Invalid. */
export async function reportTweet(ctx: Ctx, reporter: User, id: TweetId, input: ReportInput) {
  const { tweet } = await getFeedItem(ctx, reporter, id);
  if (tweet.author === reporter.id) throw new Invalid({ form: "report.self" });
  await report(ctx, reporter, { kind: "tweet", tweet: tweet.id }, input);
}

/** Reports a user to the admins. Throws Invalid. */
export async function reportPerson(ctx: Ctx, reporter: User, person: User, input: ReportInput) {
  if (person.id === reporter.id) throw new Invalid({ form: "report.self" });
  await report(ctx, reporter, { kind: "person", person: person.id }, input);
}

async function report(ctx: Ctx, reporter: User, subject: Subject, input: ReportInput) {
  const reason = reasons.find((one) => one === input.reason);
  if (reason === undefined) throw new Invalid({ reason: "report.reason" });
  const comment = checkComment(input.comment, "comment");
  const stamp = stampAt(ctx.now(), reporter.id);
  if (!(await keepReport(ctx, subject, { reporter: reporter.id, reason, comment, stamp })))
    throw new Invalid({ form: "report.many" });
  const id = `${reporter.id} ${serializeSubject(subject)}`;
  await countInDay(ctx, "reports", { id, at: ctx.now() });
  // After a crash just before, no webhook hears of it; the badge of the moderators shows it.
  if (ctx.config.reportWebhookUrl !== undefined)
    await ctx.jobs.tellOfReport({ subject: serializeSubject(subject), reason });
}

/** A comment or note as it is stored. Throws Invalid beside `field`. */
export function checkComment(raw: string, field: string): string {
  const text = cleanText(raw);
  if (!fitsGraphemes(text, commentLimit)) throw new Invalid({ [field]: "comment.long" });
  return text;
}

/** Reports in a batch. */
const batchSize = 100;

/**
 * Erases a batch of the user's reports, and all reports about the user. Resolves to whether there may be more. The
 * audit log stays, as it is about admins.
 */
export async function eraseReports(ctx: Ctx, user: UserId): Promise<boolean> {
  const reported = await ctx.redis.zrange(keys.reportsBy(user), 0, String(batchSize - 1));
  await execEach(ctx.redis, reported, (subject) => ["hdel", keys.reportsOf(subject), user]);
  for (const subject of reported) await closeIfEmpty(ctx, parseStoredSubject(subject));
  if (reported.length > 0) await ctx.redis.zrem(keys.reportsBy(user), ...reported);

  const person = personSubject(user);
  const spelled = serializeSubject(person);
  if (await hasOpenReports(ctx, person)) await resolveReports(ctx, person);
  // A decision that ended in the middle may have left entries in the reporters' lists.
  const resolved = keys.resolvedReports(spelled);
  const reporters = (await ctx.redis.hkeys(resolved)).map(userId);
  await execEach(ctx.redis, reporters, (reporter) => ["zrem", keys.reportsBy(reporter), spelled]);
  await forgetOutcomes(ctx, reporters, person);
  await ctx.redis.del(resolved);
  await ctx.redis.zrem(keys.suspended, user);
  await ctx.redis.hdel(keys.staff, user);
  return reported.length > 0;
}

/** Closes a case that has no reports left. */
async function closeIfEmpty(ctx: Ctx, subject: Subject): Promise<void> {
  if ((await ctx.redis.hlen(keys.reportsOf(serializeSubject(subject)))) === 0)
    await resolveReports(ctx, subject);
}
