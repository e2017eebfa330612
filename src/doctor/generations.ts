import { parseUserId, type UserId } from "../domain/ids.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check } from "./exam.ts";

/** A session of an earlier generation of its user, see User.generation, is invalid, but its device is still listed. */
export const generationCheck: Check = {
  of: ["sessionPrefix"],
  async look(exam, found) {
    const { redis } = exam.ctx;
    const texts = await exam.ask<string | null>(found.map(({ key }) => ["get", key]));
    const read = found.flatMap((one, index) => {
      const session = sessionIn(texts[index] ?? "");
      return session === undefined ? [] : [{ ...one, session }];
    });
    const present = await exam.ask<string | null>(
      read.map(({ session }): Command => ["hget", keys.user(session.user), "generation"]),
    );
    for (const [index, { key, parts, session }] of read.entries()) {
      if (session.generation === (present[index] ?? "")) continue;
      const { user, generation } = session;
      exam.suspect({
        kind: "session-generation",
        key,
        jobs: [`erase ${user}`],
        async look() {
          const now = (await redis.hget(keys.user(user), "generation")) ?? "";
          const same = sessionIn((await redis.get(key)) ?? "")?.generation === generation;
          return same && now !== generation ? `user ${user} has left its generation` : undefined;
        },
        repair: "delete it, and take it from the list",
        async mend() {
          await redis.zrem(keys.sessions(user), parts[0] ?? "");
          await redis.del(key);
        },
      });
    }
  },
};

/** Undefined for a session without a signed-in user. */
function sessionIn(text: string): { user: UserId; generation: string } | undefined {
  try {
    const { user, generation = "" } = JSON.parse(text) as Record<string, unknown>;
    const id = parseUserId(String(user));
    return id === undefined ? undefined : { user: id, generation: String(generation) };
  } catch {
    return undefined;
  }
}
