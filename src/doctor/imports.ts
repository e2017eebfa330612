import { findImport } from "../domain/accounts/import-store.ts";
import { userId } from "../domain/ids.ts";
import { keys, ttlOf } from "../redis/keys.ts";
import { keyCheck } from "./exam.ts";

/** An unfinished import has a job. */
export const imports = keyCheck({
  of: ["import"],
  read: ({ ctx }, items) =>
    Promise.all(
      items.map(async (item) => {
        const user = userId(item.owner);
        return { ...item, user, current: await findImport(ctx, user) };
      }),
    ),
  jobs: ({ user }) => [`import ${user}`, `erase ${user}`],
  faults: {
    "import-stuck": {
      detail: ({ current }, exam) =>
        current?.progress.done === false &&
        !exam.isYoung(current.startedAt) &&
        "is not done, and no job goes on with it",
      repair: "promise the job again",
      mend: ({ ctx }, { user }) => ctx.jobs.workOnAccount({ task: "import", user }),
    },
  },
});

/** Remaining items belong to an import. */
export const importItems = keyCheck({
  of: ["importItems"],
  read: (exam, items) =>
    exam.ask(items, ({ key, owner }) => ({
      life: ["ttl", key],
      current: ["hget", keys.import(userId(owner)), "id"],
    })),
  faults: {
    "import-stray": {
      detail({ parts: [, id], life, current }, { options }) {
        // Reading a large file takes time before its import is stored.
        const isYoung = ttlOf("importItems") - life < (10 * options.minAge) / 1000;
        return current !== id && !isYoung && "belongs to no import";
      },
      repair: "delete it",
      mend: ({ ctx }, { key }) => ctx.redis.unlink(key),
    },
  },
});
