import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { isOpen, resolveReports } from "../moderation/store.ts";
import { serializeSubject, storedSubject, type Subject } from "../moderation/subject.ts";
import { nextBatch, remove } from "./erase-batch.ts";

/** Erases the user's reports, and reports about them. The audit log stays, as it is about admins. */
export async function eraseReports(ctx: Ctx, user: UserId): Promise<boolean> {
  const reported = await nextBatch(ctx, keys.reportsBy(user));
  await exec(
    ctx.redis,
    reported.map((subject) => ["hdel", keys.reportsOf(subject), user]),
  );
  for (const subject of reported) await closeIfEmpty(ctx, storedSubject(subject));
  await remove(ctx, keys.reportsBy(user), reported);

  const own: Subject = { kind: "person", person: user };
  if (await isOpen(ctx, own)) await resolveReports(ctx, own);
  await ctx.redis.del(keys.resolvedReports(serializeSubject(own)));
  await ctx.redis.zrem(keys.suspended, user);
  return reported.length > 0;
}

/** Closes a case that has no reports left. */
async function closeIfEmpty(ctx: Ctx, subject: Subject): Promise<void> {
  if ((await ctx.redis.hlen(keys.reportsOf(serializeSubject(subject)))) === 0)
    await resolveReports(ctx, subject);
}
