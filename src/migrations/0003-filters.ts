import type { Ctx } from "../context.ts";
import { mutedWordId } from "../domain/graph/muted-words.ts";
import { userId } from "../domain/ids.ts";
import { type Command, exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Migration } from "./migration.ts";

/** Users in one step. */
const step = 1000;

const everywhere = ["home", "notifications", "public", "thread", "account"];

/** A muted word becomes a filter with one keyword, which hides everywhere, as the word did. */
export const wordsToFilters: Migration = {
  version: 3,
  does: "turn muted words into filters",
  async step({ redis }: Ctx, cursor) {
    const first = Number(cursor ?? 1);
    const last = Math.min(first + step - 1, Number(await redis.get(keys.userIds)));
    const users = Array.from({ length: Math.max(0, last - first + 1) }, (_, nth) => first + nth);
    const words = (await exec(
      redis,
      users.map((id) => ["zrange", oldKey(id), 0, -1, "WITHSCORES"]),
    )) as string[][];
    const found = users.flatMap((id, nth) => {
      const fields = toFields(words[nth] ?? []);
      return fields.length === 0 ? [] : { id, fields };
    });
    await exec(
      redis,
      found.map(({ id, fields }): Command => ["hset", keys.filters(userId(id)), ...fields]),
    );
    await exec(
      redis,
      found.map(({ id }) => ["unlink", oldKey(id)]),
    );
    return last === first + step - 1 ? String(last + 1) : undefined;
  },
};

const oldKey = (id: number) => `user:${id}:muted_words`;

/** Of words and their ends: ids of filters, and filters as JSON. */
function toFields(words: string[]): string[] {
  const fields: string[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const word = words[at] ?? "";
    const until = words[at + 1] === "inf" ? null : Number(words[at + 1]);
    const id = mutedWordId(word);
    const keywords = [{ id, word, whole: true }];
    const filter = { title: word, action: "hide", contexts: everywhere, until, keywords };
    fields.push(id, JSON.stringify(filter));
  }
  return fields;
}
