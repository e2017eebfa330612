import { keys } from "../redis/keys.ts";
import { checkOf, type Run } from "./run.ts";

/** An id that is further ahead of its counter is taken for damaged, and the counter is not raised. */
const mostAhead = 10_000_000;

/** `highest`: the highest id that was found. */
type Counter = { key: string; which: string; highest: number };

const counterCheck = checkOf({
  read: (run, counters: Counter[]) => run.ask(counters, ({ key }) => ({ present: ["get", key] })),
  faults: {
    counter: {
      detail: ({ which, highest, present }) =>
        Number(present) < highest && `stands at ${present ?? 0}, though ${which} ${highest} exists`,
      how: "raise it to that id",
      async repair({ ctx }, { key, highest, present }) {
        if (Number.isSafeInteger(highest) && highest - Number(present) <= mostAhead)
          await ctx.redis.takeIds(key, highest, 0, 0);
      },
    },
  },
});

/** A counter below a used id would give that id out again. Called after all ids were seen. */
export async function checkCounters(run: Run): Promise<void> {
  const { user, tweet, app } = run.maxIds;
  await run.look(counterCheck, [
    { key: keys.userIds, which: "user", highest: user },
    { key: keys.tweetIds, which: "tweet", highest: tweet },
    { key: keys.appIds, which: "app", highest: app },
  ]);
}
