import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { forgetOutcomes } from "../moderation/outcomes.ts";
import { hasOpenReports, resolveReports } from "../moderation/store.ts";
import {
  parseStoredSubject,
  personSubject,
  serializeSubject,
  type Subject,
} from "../moderation/subject.ts";

/** Reports in a batch. */
const batchSize = 100;

/**
 * Erases a batch of the user's reports, and all reports about the user. Resolves to whether there may be more. The
 * audit log stays, as it is about admins.
 */
export async function eraseReports(ctx: Ctx, user: UserId): Promise<boolean> {
  const reported = await ctx.redis.zrange(keys.reportsBy(user), 0, String(batchSize - 1));
  await exec(
    ctx.redis,
    reported.map((subject) => ["hdel", keys.reportsOf(subject), user]),
  );
  for (const subject of reported) await closeIfEmpty(ctx, parseStoredSubject(subject));
  if (reported.length > 0) await ctx.redis.zrem(keys.reportsBy(user), ...reported);

  const own = personSubject(user);
  const spelled = serializeSubject(own);
  if (await hasOpenReports(ctx, own)) await resolveReports(ctx, own);
  // A decision that ended in the middle may have left entries in the reporters' lists.
  const resolved = keys.resolvedReports(spelled);
  const reporters = (await ctx.redis.hkeys(resolved)).map(userId);
  await exec(
    ctx.redis,
    reporters.map((reporter) => ["zrem", keys.reportsBy(reporter), spelled]),
  );
  await forgetOutcomes(ctx, reporters, own);
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
