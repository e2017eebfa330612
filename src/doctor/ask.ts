import type { ClientId, TweetId, UserId } from "../domain/ids.ts";
import { type Command, exec } from "../redis/exec.ts";
import type { RedisClient } from "../redis/redis-client.ts";

/** Commands in one pipeline. */
const atOnce = 500;

/** What Redis replies to each command. */
interface Replies {
  get: string | null;
  hget: string | null;
  hmget: (string | null)[];
  zscore: string | null;
  zmscore: (string | null)[];
  zrange: string[];
  type: string;
  ttl: number;
  exists: number;
  zcount: number;
  strlen: number;
  hlen: number;
  zcard: number;
  xlen: number;
  hscan: [cursor: string, flat: string[]];
  zscan: [cursor: string, flat: string[]];
}

/** Commands by the names of their answers. */
export type Questions = Record<
  string,
  [command: keyof Replies, key: string, ...rest: (string | number)[]]
>;
type Answers<Asked extends Questions> = { [Name in keyof Asked]: Replies[Asked[Name][0]] };

/**
 * Asks Redis the same questions about many targets, in pipelines of bounded size. Returns each target with its
 * answers: `ask(redis, users, ({ id }) => ({ life: ["ttl", keys.user(id)] }))` adds `life` to each user.
 */
export async function ask<Target extends object, Asked extends Questions>(
  redis: RedisClient,
  targets: readonly Target[],
  about: (target: Target) => Asked,
): Promise<(Target & Answers<Asked>)[]> {
  const questionLists = targets.map((target) => Object.entries(about(target)));
  const commands = questionLists.flatMap((questions) => questions.map(([, command]) => command));
  const replies = await runAll(redis, commands);
  let next = 0;
  return targets.map((target, index) => {
    const answers = questionLists[index]?.map(([name]) => [name, replies[next++]]) ?? [];
    return { ...target, ...Object.fromEntries(answers) } as Target & Answers<Asked>;
  });
}

/** The replies to any number of commands. */
export async function runAll(redis: RedisClient, commands: Command[]): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const some of inBatches(commands, atOnce)) replies.push(...(await exec(redis, some)));
  return replies;
}

/** Ids that no user, tweet or app has: for a target about which there is nothing to ask. */
export const none = {
  user: "0" as UserId,
  tweet: "0" as TweetId,
  app: "-".repeat(32) as ClientId,
};

/** The fields of a stored JSON object; none if it is damaged. */
export function parseObject(text: string | null): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? ""));
  } catch {
    return {};
  }
}

/** Parts of at most `size` targets; all at once without it. */
export function* inBatches<T>(targets: T[], size = targets.length): Generator<T[]> {
  for (let start = 0; start < targets.length; start += size)
    yield targets.slice(start, start + size);
}

export function groupBy<T, Key>(targets: readonly T[], keyOf: (target: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const target of targets) {
    const group = groups.get(keyOf(target));
    if (group === undefined) groups.set(keyOf(target), [target]);
    else group.push(target);
  }
  return groups;
}
