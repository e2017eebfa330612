import type { Ctx } from "../context.ts";
import { userId } from "../domain/ids.ts";
import { type Command, exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Migration } from "./migration.ts";

/** Users in one step. */
const step = 1000;

/** Deletes what the first sites stored and no program reads any more. */
export const retiredKeys: Migration = {
  version: 1,
  does: "delete keys and fields that are not used any more",
  async step({ redis }: Ctx, cursor) {
    const first = Number(cursor ?? 1);
    const last = Math.min(first + step - 1, Number(await redis.get(keys.userIds)));
    const commands: Command[] = [];
    for (let id = first; id <= last; id += 1)
      commands.push(["hdel", keys.user(userId(id)), "version", "notified"]);
    await exec(redis, commands);
    if (last === first + step - 1) return String(last + 1);
    await redis.del("tweets:deleted");
    return undefined;
  },
};
