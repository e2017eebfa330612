import { findImport } from "../domain/accounts/import-store.ts";
import { userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";

/** An unfinished import has a job; remaining items belong to an import. */
export const importChecks: Check[] = [
  {
    of: ["import"],
    async look(exam, found) {
      for (const { key, parts } of found) {
        const user = userId(parts[0] ?? "");
        const current = await findImport(exam.ctx, user);
        if (current === undefined || current.progress.done || exam.isYoung(current.startedAt))
          continue;
        exam.suspect({
          kind: "import-stuck",
          key,
          jobs: [`import ${user}`, `erase ${user}`],
          async look() {
            const now = await findImport(exam.ctx, user);
            return now === undefined || now.progress.done
              ? undefined
              : "is not done, and no job goes on with it";
          },
          repair: "promise the job again",
          mend: () => exam.ctx.jobs.workOnAccount({ task: "import", user }),
        });
      }
    },
  },
  {
    of: ["importItems"],
    async look(exam, found) {
      for (const { key, parts } of found) {
        const user = userId(parts[0] ?? "");
        const isStray = async () =>
          (await exam.ctx.redis.hget(keys.import(user), "id")) !== parts[1] &&
          !(await isYoungKey(exam, key));
        if (!(await isStray())) continue;
        exam.suspect({
          kind: "import-stray",
          key,
          look: async () =>
            (await exam.ctx.redis.exists(key)) === 1 && (await isStray())
              ? "belongs to no import"
              : undefined,
          repair: "delete it",
          mend: () => exam.ctx.redis.unlink(key),
        });
      }
    },
  },
];

/** Reading a large file takes time before its import is stored; its items have a TTL of seven days. */
async function isYoungKey({ ctx, options }: Exam, key: string): Promise<boolean> {
  const age = 7 * 24 * 60 * 60 - (await ctx.redis.ttl(key));
  return age < (10 * options.minAge) / 1000;
}
