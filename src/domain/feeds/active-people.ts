import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { readRarely } from "../per-client.ts";
import { readVisibleItems } from "./feed-items.ts";
import { newestEntries } from "./public-lists.ts";

const freshMilliseconds = 60_000;
const atMost = 40;

/** Authors of the newest public tweets, the most followed first. Counted once a minute. */
export const activePeople = readRarely(freshMilliseconds, async (ctx): Promise<UserId[]> => {
  const newestFirst = (await newestEntries(ctx, { tag: undefined })).toReversed();
  const items = await readVisibleItems(ctx, undefined, newestFirst);
  const authors = [...new Set(items.map(({ tweet }) => tweet.author))].slice(0, atMost);
  const followers = await countAll(ctx, authors);
  return authors.toSorted((one, other) => (followers.get(other) ?? 0) - (followers.get(one) ?? 0));
});

async function countAll(ctx: Ctx, users: UserId[]): Promise<Map<UserId, number>> {
  const counts = await exec(
    ctx.redis,
    users.map((id) => ["zcard", keys.followers(id)]),
  );
  return new Map(users.map((id, nth) => [id, Number(counts[nth])]));
}
