import { userId } from "../domain/ids.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { membersOf } from "./lists.ts";

/** The newest users exist and are not suspended; the suspended users in the list are. */
export const listedUsersCheck: Check = {
  of: ["newestUsers", "suspended"],
  async look(exam, found) {
    for await (const batch of membersOf(exam, found)) {
      const fields = await exam.ask<(string | null)[]>(
        batch.map(({ id }) => ["hmget", keys.user(userId(id)), "name", "suspended_at"]),
      );
      for (const [index, { of, id }] of batch.entries()) {
        exam.maxIds.sawUser(id);
        if (!isRight(of.key, fields[index])) suspectListed(exam, of.key, id);
      }
    }
  },
};

/** An account that is being erased is left to its job. */
function isRight(key: string, [name, suspended]: (string | null)[] = []): boolean {
  if (typeof name !== "string") return false;
  return (typeof suspended === "string") === (key === keys.suspended);
}

function suspectListed(exam: Exam, key: string, id: string): void {
  const { redis } = exam.ctx;
  exam.suspect({
    kind: "user-listed-wrongly",
    key,
    member: id,
    jobs: [`erase ${id}`],
    async look() {
      const stamp = await redis.zscore(key, id);
      const fields = await redis.hmget(keys.user(userId(id)), "name", "suspended_at");
      if (stamp === null || isRight(key, fields)) return undefined;
      return `names ${id}, who is gone or ${key === keys.suspended ? "not " : ""}suspended`;
    },
    repair: "take the user out",
    mend: () => redis.zrem(key, id),
  });
}
