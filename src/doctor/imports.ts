import { findImport } from "../domain/accounts/import-store.ts";
import { userId } from "../domain/ids.ts";
import { keys, ttlOf } from "../redis/keys.ts";
import { keyCheck } from "./run.ts";

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
      detail: ({ current }, run) =>
        current?.progress.done === false &&
        !run.isYoung(current.startedAt) &&
        "is not done, and no job goes on with it",
      how: "promise the job again",
      repair: ({ ctx }, { user }) => ctx.jobs.workOnAccount({ task: "import", user }),
    },
  },
});

/** Remaining items belong to an import. */
export const importItems = keyCheck({
  of: ["importItems"],
  read: (run, items) =>
    run.ask(items, ({ key, owner }) => ({
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
      how: "delete it",
      repair: ({ ctx }, { key }) => ctx.redis.unlink(key),
    },
  },
});
