import { type UserId, userId } from "../domain/ids.ts";
import { idleSeconds } from "../domain/users/sessions.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { FoundKey } from "./key-kinds.ts";

/** A session that is not in its user's list is invalid and only takes room. */
export const sessionCheck: Check = {
  of: ["sessionPrefix"],
  async look(exam, found) {
    const replies = await exam.ask<string | number | null>(
      found.flatMap(({ key }): Command[] => [
        ["get", key],
        ["ttl", key],
      ]),
    );
    const owned = found.flatMap((one, index) => {
      const user = userOf(replies[2 * index]);
      const life = Number(replies[2 * index + 1]);
      const isYoung = idleSeconds - life < exam.options.minAge / 1000;
      return user === undefined || isYoung ? [] : [{ found: one, user }];
    });
    const listed = await exam.ask<string | null>(
      owned.map(({ found: { parts }, user }) => ["zscore", keys.sessions(user), parts[0] ?? ""]),
    );
    for (const [index, { found: one, user }] of owned.entries())
      if (listed[index] === null) suspectSession(exam, one, user);
  },
};

/** Undefined for a session without a signed-in user. */
function userOf(text: unknown): UserId | undefined {
  try {
    const { user } = JSON.parse(String(text)) as { user?: unknown };
    return typeof user === "string" ? userId(user) : undefined;
  } catch {
    return undefined;
  }
}

function suspectSession(exam: Exam, { key, parts }: FoundKey, user: UserId): void {
  const { redis } = exam.ctx;
  exam.suspect({
    kind: "session-unlisted",
    key,
    jobs: [`erase ${user}`],
    async look() {
      const listed = await redis.zscore(keys.sessions(user), parts[0] ?? "");
      if (listed !== null || userOf(await redis.get(key)) !== user) return undefined;
      return `the list of user ${user} does not name it`;
    },
    repair: "delete it",
    mend: () => redis.del(key),
  });
}
