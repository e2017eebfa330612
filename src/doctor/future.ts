import { stampToDate } from "../domain/stamp.ts";
import type { Check, Exam } from "./exam.ts";

/** Max microseconds between two clocks. */
const tolerated = 5 * 60 * 1e6;

/** No user or tweet is from the future: it would stay above all new ones until then. */
export const futureCheck: Check = {
  of: ["user", "tweet"],
  async look(exam, found) {
    const stamps = await exam.ask<string | null>(
      found.map(({ key }) => ["hget", key, "created_at"]),
    );
    for (const [index, { key }] of found.entries())
      if (isAhead(exam, stamps[index])) suspectFuture(exam, key);
  },
};

function isAhead({ ctx }: Exam, stamp: string | null | undefined): boolean {
  return Number(stamp ?? 0) > ctx.now() * 1000 + tolerated;
}

function suspectFuture(exam: Exam, key: string): void {
  exam.suspect({
    kind: "future",
    key,
    async look() {
      const stamp = await exam.ctx.redis.hget(key, "created_at");
      if (!isAhead(exam, stamp)) return undefined;
      return `was made on ${stampToDate(Number(stamp)).toISOString()}: look at the clocks`;
    },
    repair: "",
  });
}
