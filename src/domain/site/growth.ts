import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { primariesOf } from "../../redis/servers.ts";
import { readWeek } from "../statistics.ts";
import { dayOf, userId } from "../ids.ts";
import { readRarely } from "../memo.ts";
import { hostNumbers, sum } from "./numbers.ts";

const day = 24 * 60 * 60 * 1000;
/** Max keys of each server that are measured, and how many in one round trip. */
const samples = 1000;
const samplesAtOnce = 100;
/** Max bytes that a measured key counts, as it stands for many others. */
const mostBytes = 1_000_000;
const usersAtOnce = 500;
const largestKept = 10;

/** Kinds of data in Redis, by their keys; the first that fits. */
const kinds = Object.entries({
  jobs: /^\{jobs\}/,
  tweets: /^tweet:/,
  search: /^(search|sealed|people|tags?):|:indexed$/,
  homes: /:home_timeline$/,
  follows: /^user:\d+:follow(ers|ings)$/,
  notifications: /^user:\d+:(notifications|push|pushed)$/,
  lists: /^tweets:|^user:\d+:(user_timeline|replies|answers|likes|bookmarks|retweets)$/,
  accounts: /^(user|username|website|sess|mail|app):/,
});

export type MeasuredDay = Awaited<ReturnType<typeof measure>> & { day: string };

/** The chore: measures the site at the end of each day, once. */
export async function measureSite(ctx: Ctx, alive: () => void): Promise<void> {
  const over = ctx.now() - day;
  const name = dayOf(over * 1000);
  if ((await ctx.redis.hexists(keys.siteDays, name)) === 1) return;
  await ctx.redis.hset(keys.siteDays, name, JSON.stringify(await measure(ctx, over, alive)));
  const names = (await ctx.redis.hkeys(keys.siteDays)).toSorted();
  const old = names.slice(0, -mostOf("siteDays"));
  if (old.length > 0) await ctx.redis.hdel(keys.siteDays, ...old);
}

/** The measured days, oldest first. */
export const measuredDays = readRarely(10_000, async ({ redis }): Promise<MeasuredDay[]> => {
  const days = await redis.hgetall(keys.siteDays);
  const names = Object.keys(days).toSorted();
  return names.map((name) => ({ ...(JSON.parse(days[name] ?? "") as MeasuredDay), day: name }));
});

/** Days until a figure reaches its limit at the pace of its last 30 days; undefined if it does not grow, or in the first week. */
export function daysUntil(limit: number, figures: readonly number[]): number | undefined {
  const last = figures.slice(-30);
  const [before = 0, now = 0] = [last[0], last.at(-1)];
  if (last.length < 7 || now <= before) return undefined;
  return (Math.max(0, limit - now) * (last.length - 1)) / (now - before);
}

/** Users and tweets of the day, and bytes now. Asks for all accounts and pictures, and for a sample of the keys. */
async function measure(ctx: Ctx, over: number, alive: () => void) {
  const { servers, disk } = await hostNumbers(ctx);
  const [ofDay] = (await readWeek(ctx, over)).days;
  let pictures = 0;
  for await (const { bytes } of ctx.storage?.list() ?? []) {
    pictures += bytes;
    alive();
  }
  return {
    people: ofDay?.people,
    tweets: ofDay?.tweets,
    memory: sum(servers, ({ usedBytes }) => usedBytes),
    disk: disk && disk.totalBytes - disk.freeBytes,
    pictures,
    // Some hosts forbid these commands.
    kinds: await bytesByKind(ctx, alive).catch((): Record<string, number> => ({})),
    largest: await largestAccounts(ctx, alive),
  };
}

async function bytesByKind({ redis }: Ctx, alive: () => void): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const node of primariesOf(redis)) {
    const each = (await node.dbsize()) / samples;
    for (let nth = 0; nth < samples; nth += samplesAtOnce) {
      const sample = await Promise.all(
        Array.from({ length: samplesAtOnce }, () => node.randomkey()),
      );
      const names = sample.map((key) => key ?? "");
      const sizes = await Promise.all(names.map((key) => node.memory("USAGE", key)));
      for (const [at, key] of names.entries()) {
        const [kind] = kinds.find(([, form]) => form.test(key)) ?? ["others"];
        all[kind] = Math.round((all[kind] ?? 0) + Math.min(sizes[at] ?? 0, mostBytes) * each);
      }
      alive();
    }
  }
  return all;
}

/** Those with the most tweets and followers together. */
async function largestAccounts({ redis }: Ctx, alive: () => void) {
  const last = Number(await redis.get(keys.userIds));
  let largest: { id: string; tweets: number; followers: number }[] = [];
  for (let first = 1; first <= last; first += usersAtOnce) {
    const ids = Array.from({ length: usersAtOnce }, (_, nth) => userId(first + nth));
    const lists = ids.flatMap((id) => [keys.userTimeline(id), keys.followers(id)]);
    const sizes = (await execEach(redis, lists, (list) => ["zcard", list])) as number[];
    for (const [nth, id] of ids.entries())
      largest.push({ id, tweets: sizes[2 * nth] ?? 0, followers: sizes[2 * nth + 1] ?? 0 });
    largest = largest
      .filter((one) => one.tweets + one.followers > 0)
      .toSorted((one, other) => other.tweets + other.followers - one.tweets - one.followers)
      .slice(0, largestKept);
    alive();
  }
  return largest;
}
