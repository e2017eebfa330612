import type { UserId } from "../domain/ids.ts";
import { foldName, holderOf } from "../domain/users/store.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";
import { keys } from "../redis/keys.ts";
import type { Exam } from "./exam.ts";

/** A user whose name is committed has no TTL. */
export async function checkDrafts(exam: Exam, ids: UserId[]): Promise<void> {
  const lives = await exam.ask<number>(ids.map((id) => ["ttl", keys.user(id)]));
  for (const [index, id] of ids.entries()) {
    const key = keys.user(id);
    if ((lives[index] ?? -1) < 0) continue;
    exam.suspect({
      kind: "user-not-kept",
      key,
      jobs: [`settle-sign-up ${id}`, `erase ${id}`],
      async look() {
        const [name, life] = await Promise.all([
          exam.ctx.redis.hget(key, "name"),
          exam.ctx.redis.ttl(key),
        ]);
        if (name === null || life < 0 || !(await hasSignedUp(exam, id, name))) return undefined;
        return `has signed up, yet vanishes in ${life} s`;
      },
      repair: "keep the user, and the name if no other has it",
      async mend() {
        const name = await exam.ctx.redis.hget(key, "name");
        if (name !== null) await claimName(exam, id, name);
        await reconcileSignUp(exam.ctx, id);
      },
    });
  }
}

/** Whether the name leads to the user, or to no user while there is data that a draft cannot have. */
async function hasSignedUp(exam: Exam, id: UserId, name: string): Promise<boolean> {
  const holder = await holderOf(exam.ctx, name);
  return holder === id || (holder === undefined && (await exam.facts.withDeeds([id])).has(id));
}

/** A name that another user has stays theirs: then the operator decides about this account. */
export async function claimName({ ctx }: Exam, id: UserId, spelled: string): Promise<void> {
  const name = keys.username(foldName(spelled));
  await ctx.redis.set(name, id, "NX");
  await ctx.redis.claimCommit(name, id, id);
}
