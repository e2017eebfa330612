import { keys } from "../redis/keys.ts";
import type { Exam } from "./exam.ts";
import { isPlausible, type MaxIds } from "./max-ids.ts";

/** A counter below a used id would give that id out again. Called after all ids were seen. */
export function checkCounters(exam: Exam): void {
  checkCounter(exam, keys.userIds, "user");
  checkCounter(exam, keys.tweetIds, "tweet");
  checkCounter(exam, keys.appIds, "app");
}

function checkCounter(exam: Exam, key: string, which: keyof MaxIds & ("user" | "tweet" | "app")) {
  const { redis } = exam.ctx;
  const most = exam.maxIds[which];
  if (most === 0) return;
  const read = async () => Number((await redis.get(key)) ?? 0);
  const suspicion = {
    kind: "counter",
    key,
    async look() {
      const present = await read();
      if (present >= most) return undefined;
      return `stands at ${present}, though ${which} ${most} exists`;
    },
    repair: `raise it to ${most}`,
    async mend() {
      if (isPlausible(await read(), most)) await redis.takeIds(key, most, 0, 0);
    },
  };
  exam.suspect(suspicion);
}
