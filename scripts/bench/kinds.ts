import { recognize } from "../../src/doctor/items.ts";
import type { Row } from "../../src/redis/key-rows.ts";
import { type KeyName, keyTable } from "../../src/redis/keys.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { exec } from "../../src/redis/exec.ts";

/** What keys of a kind grow with. */
export type Growth = "tweet" | "person" | "follow" | "home" | "notification" | "site";

export interface KindBytes {
  grows: Growth;
  keys: number;
  bytes: number;
  /** Members, fields or entries; 0 for strings. */
  members: number;
}

/** All kinds that are not here grow with the tweets. */
const growths: Partial<Record<KeyName, Growth>> = {
  followers: "follow",
  followings: "follow",
  homeTimeline: "home",
  notifications: "notification",
  ...kindsOf("site", "userIds tweetIds appIds newestUsers globalTimeline bigTimeline tagUses"),
  ...kindsOf("site", "suspended siteBlocks staff openReports reportsOf resolvedReports auditLog"),
  ...kindsOf("site", "applicants siteInvitations inviters siteData checkup dayStat siteLock site"),
  ...kindsOf("site", "untrustedProxy ratePrefix probe"),
  // Finished jobs that stay are at most a hundred of a queue, however many tweets there are.
  queuePrefix: "site",
  ...kindsOf("person", "user avatar username sessions guesses pendingSecondFactors passkeys totp"),
  ...kindsOf("person", "totpSetup challenge recoveryCodes resetLinks mailPending mailUsers import"),
  ...kindsOf("person", "importItems imported app appTokens tokens codes withoutRetweets watchers"),
  ...kindsOf("person", "mutes timedMutes blocks blockedBy filters followedTags lists listMembers"),
  ...kindsOf("person", "mutedConversations push pushed searchPeople indexedPerson reportsBy"),
  ...kindsOf("person", "outcomes invitations sessionPrefix followRequests requested importClaim"),
};

function kindsOf(grows: Growth, names: string): Partial<Record<KeyName, Growth>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, grows]));
}

const countOf = { string: undefined, hash: "hlen", zset: "zcard", stream: "xlen" } as const;

/** Bytes of all keys by kind, by MEMORY USAGE: every kind of the table, those without a key too. Throws at others. */
export async function bytesOfKinds(redis: RedisClient): Promise<Record<KeyName, KindBytes>> {
  const names = Object.keys(keyTable) as KeyName[];
  const kinds = Object.fromEntries(
    names.map((name) => [name, { grows: growths[name] ?? "tweet", keys: 0, bytes: 0, members: 0 }]),
  ) as Record<KeyName, KindBytes>;
  for (let cursor = "0", isFirst = true; isFirst || cursor !== "0"; isFirst = false) {
    const [next, found] = (await redis.call("SCAN", cursor, "COUNT", 1000)) as [string, string[]];
    cursor = next;
    const items = found.map((key) => recognize(key) ?? unknownKey(key));
    const bytes = await exec(
      redis,
      items.map(({ key }) => ["memory", "USAGE", key, "SAMPLES", 0]),
    );
    const counts = await exec(
      redis,
      items.map(({ key, name }) => {
        const { type = "string" }: Row = keyTable[name];
        return [countOf[type] ?? "exists", key];
      }),
    );
    for (const [nth, { name }] of items.entries()) {
      kinds[name].keys += 1;
      kinds[name].bytes += Number(bytes[nth]);
      kinds[name].members += Number(counts[nth]);
    }
  }
  return kinds;
}

function unknownKey(key: string): never {
  throw new Error(`${key} is of no kind in src/redis/keys.ts`);
}

/** Bytes of all kinds that grow with the same. */
export function bytesOf(kinds: Record<KeyName, KindBytes>, ...grown: Growth[]): number {
  const chosen = Object.values(kinds).filter(({ grows }) => grown.includes(grows));
  return chosen.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A line for each kind, the largest first; then those that the site does not have. */
export function kindLines(kinds: Record<KeyName, KindBytes>): string[] {
  const present = Object.entries(kinds).filter(([, { keys }]) => keys > 0);
  const absent = Object.entries(kinds).filter(([, { keys }]) => keys === 0);
  present.sort(([, one], [, other]) => other.bytes - one.bytes);
  return [
    ...present.map(
      ([name, { grows, keys, bytes, members }]) =>
        `${name} (${grows}): ${bytes} bytes, ${keys} keys of ${Math.round(bytes / keys)}, ${members} members`,
    ),
    `none of: ${absent.map(([name]) => name).join(", ")}`,
  ];
}
