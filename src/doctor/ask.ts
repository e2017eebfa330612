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
 * Asks Redis the same questions about many things, in pipelines of bounded size. Returns each thing with its
 * answers: `ask(redis, users, ({ id }) => ({ life: ["ttl", keys.user(id)] }))` adds `life` to each user.
 */
export async function ask<Thing extends object, Asked extends Questions>(
  redis: RedisClient,
  things: readonly Thing[],
  about: (thing: Thing) => Asked,
): Promise<(Thing & Answers<Asked>)[]> {
  const asked = things.map((thing) => Object.entries(about(thing)));
  const commands = asked.flatMap((questions) => questions.map(([, command]) => command));
  const replies = await runAll(redis, commands);
  let next = 0;
  return things.map((thing, index) => {
    const answers = asked[index]?.map(([name]) => [name, replies[next++]]) ?? [];
    return { ...thing, ...Object.fromEntries(answers) } as Thing & Answers<Asked>;
  });
}

/** The replies to any number of commands. */
export async function runAll(redis: RedisClient, commands: Command[]): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const some of inBatches(commands, atOnce)) replies.push(...(await exec(redis, some)));
  return replies;
}

/** Ids that no user, tweet or app has: for a thing about which there is nothing to ask. */
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

/** Parts of at most `size` things; all at once without it. */
export function* inBatches<T>(things: T[], size = things.length): Generator<T[]> {
  for (let start = 0; start < things.length; start += size) yield things.slice(start, start + size);
}

export function groupBy<T, Key>(things: readonly T[], keyOf: (thing: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const thing of things) {
    const group = groups.get(keyOf(thing));
    if (group === undefined) groups.set(keyOf(thing), [thing]);
    else group.push(thing);
  }
  return groups;
}
