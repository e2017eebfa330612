import { parseUserId } from "../domain/ids.ts";
import { foldName } from "../domain/users/store.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { FoundKey } from "./key-kinds.ts";

/** A name leads for ever to its user, who may be gone. A claim expires. */
export const nameCheck: Check = {
  of: ["username"],
  async look(exam, found) {
    const holders = await exam.ask<string | null>(found.map(({ key }) => ["get", key]));
    const held = found.flatMap((one, index) => {
      const id = parseUserId(holders[index] ?? "");
      exam.maxIds.sawUser(id);
      return id === undefined ? [] : [{ one, id }];
    });
    const names = await exam.ask<string | null>(
      held.map(({ id }) => ["hget", keys.user(id), "name"]),
    );
    for (const [index, { one }] of held.entries()) {
      const name = names[index] ?? null;
      if (name !== null && foldName(name) !== one.parts[0]) suspectName(exam, one);
    }
  },
};

function suspectName(exam: Exam, { key, parts }: FoundKey): void {
  const { redis } = exam.ctx;
  exam.suspect({
    kind: "name-of-another",
    key,
    async look() {
      const id = parseUserId((await redis.get(key)) ?? "");
      const name = id === undefined ? null : await redis.hget(keys.user(id), "name");
      if (name === null || foldName(name) === parts[0]) return undefined;
      return `leads to user ${id}, who is called ${name}`;
    },
    repair: "",
  });
}
