import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { userId, type Stamp, stampAt } from "../ids.ts";
import { findUsers } from "../users/store.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { readRarely } from "../memo.ts";
import type { Indexed } from "./terms.ts";

const dayMilliseconds = 24 * 60 * 60 * 1000;
const tagsShown = 10;
const usesKept = mostOf("tagUses");
/** Tags of a tweet that count for the trends: a few tweets with very many tags would push out those of all others. */
const tagsCounted = 4;
/** Min time between two counts. */
const freshMilliseconds = 60_000;

export interface Trend {
  tag: string;
  /** Number of users who used it in the last 24 hours. */
  people: number;
}

/** Records the first tags that a user used, one at least, for a day. May run twice. */
export async function noteTags(ctx: Ctx, indexed: Indexed, stamp: Stamp): Promise<void> {
  const members = usesOf(indexed).slice(0, tagsCounted);
  await exec(ctx.redis, [
    ["zadd", keys.tagUses, ...members.flatMap((member) => [stamp, member])],
    ["zremrangebyscore", keys.tagUses, 0, stampAt(ctx.now() - dayMilliseconds, "0")],
    ["zremrangebyrank", keys.tagUses, 0, -usesKept - 1],
    ["expire", keys.tagUses, dayMilliseconds / 1000],
  ]);
}

export async function forgetTags(ctx: Ctx, indexed: Indexed): Promise<void> {
  const members = usesOf(indexed);
  if (members.length > 0) await ctx.redis.zrem(keys.tagUses, ...members);
}

/** The tag comes last, as it may contain any character. */
function usesOf({ tweet, author, terms }: Indexed): string[] {
  const tags = terms.filter((term) => term.startsWith("#"));
  return tags.map((term) => `${tweet}:${author}:${term.slice(1)}`);
}

/** The tags used by most users in the last 24 hours; equals by last use, newest first. */
export async function trendingTags(ctx: Ctx): Promise<Trend[]> {
  return (await usedTags(ctx)).slice(0, tagsShown);
}

/** All tags of the last 24 hours, in the same order, without those of authors who are suspended or protected by now. */
export const usedTags = readRarely(freshMilliseconds, async (ctx, now) => {
  const from = String(stampAt(now - dayMilliseconds, "0"));
  const members = await ctx.redis.zrange(keys.tagUses, "+inf", from, "BYSCORE", "REV");
  const uses = members.map(toUse);
  const ids = uses.map(({ author }) => author);
  const authors = await findUsers(ctx, ids);
  const isOpen = ({ author }: Use) => {
    const user = authors.get(author);
    return user !== undefined && !user.suspended && !user.protected;
  };
  return countTrends(uses.filter(isOpen));
});

type Use = ReturnType<typeof toUse>;

function toUse(member: string) {
  const [, author = "", ...rest] = member.split(":");
  return { author: userId(author), tag: rest.join(":") };
}

/** `uses` are newest first; sorting is stable, so tags of equal rank are, too. */
function countTrends(uses: Use[]): Trend[] {
  const people = new Map<string, Set<string>>();
  for (const { author, tag } of uses) {
    const users = people.get(tag) ?? new Set();
    people.set(tag, users.add(author));
  }
  const trends = [...people].map(([tag, users]) => ({ tag, people: users.size }));
  return trends.toSorted((one, other) => other.people - one.people);
}
