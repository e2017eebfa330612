import type { Ctx } from "../context.ts";
import { mutedWordId } from "../domain/graph/muted-words.ts";
import { userId } from "../domain/ids.ts";
import { askForIndexing } from "../domain/search/index-older.ts";
import { execEach } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";

/** Brings data from the version before to `version`. Once released, it never changes again. */
export interface Migration {
  version: number;
  /** What it does, in a few words, for the log. */
  does: string;
  /**
   * One bounded step, well below 30 s, from where the last one stopped; undefined: from the beginning. Returns
   * where it stopped, or undefined at the end. Each step may run twice, and at the same time in two processes.
   */
  step(ctx: Ctx, cursor: string | undefined): Promise<string | undefined>;
}

/** Users in one step. */
const usersAtOnce = 1000;

/** A step of some users after the other; `work` gets the ids of each step. */
function userStep(work: (redis: RedisClient, ids: number[]) => Promise<void>): Migration["step"] {
  return async ({ redis }, cursor) => {
    const first = Number(cursor ?? 1);
    const last = Math.min(first + usersAtOnce - 1, Number(await redis.get(keys.userIds)));
    const count = Math.max(0, last - first + 1);
    const ids = Array.from({ length: count }, (_, nth) => first + nth);
    await work(redis, ids);
    return count === usersAtOnce ? String(last + 1) : undefined;
  };
}

/** Deletes what the first sites stored and no program reads any more. */
const retiredKeys: Migration = {
  version: 1,
  does: "delete keys and fields that are not used any more",
  step: userStep(async (redis, ids) => {
    await execEach(redis, ids, (id) => ["hdel", keys.user(userId(id)), "version", "notified"]);
    await redis.del("tweets:deleted");
  }),
};

/**
 * Only asks for the work, which a job does while the site serves: a million tweets take an hour or two. See
 * docs/decisions/0010-search.md.
 */
const searchTerms: Migration = {
  version: 2,
  does: "ask a job to index all tweets and people anew",
  async step(ctx: Ctx) {
    await askForIndexing(ctx);
    return undefined;
  },
};

const everywhere = ["home", "notifications", "public", "thread", "account"];

/** A muted word becomes a filter with one keyword, which hides everywhere, as the word did. */
const wordsToFilters: Migration = {
  version: 3,
  does: "turn muted words into filters",
  step: userStep(async (redis, users) => {
    const words = await execEach(redis, users, (id) => ["zrange", oldKey(id), 0, -1, "WITHSCORES"]);
    const moves = users
      .map((id, nth) => ({ id, fields: toFields(words[nth] as string[]) }))
      .filter(({ fields }) => fields.length > 0);
    await execEach(redis, moves, ({ id, fields }) => ["hset", keys.filters(userId(id)), ...fields]);
    await execEach(redis, moves, ({ id }) => ["unlink", oldKey(id)]);
  }),
};

const oldKey = (id: number) => `user:${id}:muted_words`;

/** Fields of filters (id, JSON), made of words and their ends. */
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

/** All migrations, in their order: number n brings the data to version n. */
export const migrations: readonly Migration[] = [retiredKeys, searchTerms, wordsToFilters];
