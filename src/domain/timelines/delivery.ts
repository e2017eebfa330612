import calculateSlot from "cluster-key-slot";
import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { firstOf, packed, Packed, unpacked } from "../../redis/packed.ts";
import { limitConcurrency } from "../concurrency-limit.ts";
import { type UserId, userId } from "../ids.ts";
import { perClient } from "../memo.ts";
import { keptWhenCut } from "./home-store.ts";
import type { TimelineTweet } from "./store.ts";

/** Timelines per script call; Redis does nothing else while it runs, about a millisecond. */
const timelinesAtOnce = 320;
/** Concurrent calls to a node: it always has the next one, and readers wait for two at most. */
export const callsInFlight = 2;

/** Limit of calls, shared by all fan-outs of this process. */
export const limitCalls = () =>
  limitConcurrency({ what: "calls", slots: callsInFlight, queueLimit: Infinity, retryAfter: 0 });

/** Limits of calls of each client, by node. */
const limitsOf = perClient(() => new Map<string, ReturnType<typeof limitCalls>>());

/** Adds a tweet to the home timelines of some users, if these exist. */
export async function deliverTo(ctx: Ctx, placed: TimelineTweet, users: UserId[]): Promise<void> {
  const delivery = new Delivery(ctx, placed);
  delivery.add(Buffer.from(users.join(" ")));
  await delivery.finish();
}

const [before, after] = keys
  .homeTimeline(userId(7))
  .split("7")
  .map((text) => Buffer.from(text)) as [Buffer, Buffer];
const longestKey = before.length + 15 + after.length;
const space = 32;

/**
 * Brings a tweet to home timelines by script calls for some hundred of one node. The timelines of each node are
 * collected until there are enough for a call, so the cost does not grow with the number of nodes. Ids stay bytes: a
 * string for each would cost as much as all the rest.
 */
export class Delivery {
  readonly #ctx: Ctx;
  readonly #placed: TimelineTweet;
  /** Keys of timelines that wait for a call, by node. */
  readonly #waiting = new Map<string, Packed>();
  #calls: Promise<void>[] = [];

  constructor(ctx: Ctx, placed: TimelineTweet) {
    this.#ctx = ctx;
    this.#placed = placed;
  }

  /** Ids of users, with a space between them. */
  add(ids: Buffer): void {
    const { redis } = this.#ctx;
    const slots = redis instanceof Cluster ? redis.slots : undefined;
    for (let start = 0, end = 0; end < ids.length; start = end + 1) {
      for (end = start; end < ids.length && ids[end] !== space; end += 1);
      const node = slots?.[homeSlot(ids, start, end)]?.[0] ?? "";
      let waiting = this.#waiting.get(node);
      if (waiting === undefined)
        this.#waiting.set(node, (waiting = new Packed(timelinesAtOnce, longestKey)));
      waiting.add(before, ids, start, end, after);
      if (waiting.count === timelinesAtOnce) this.#call(node, waiting);
    }
  }

  /** Resolves once all who were added until now have the tweet. Users who are added meanwhile are not waited for. */
  async finish(): Promise<void> {
    for (const [node, waiting] of this.#waiting) this.#call(node, waiting);
    const calls = this.#calls;
    this.#calls = [];
    await Promise.all(calls);
  }

  #call(node: string, homes: Packed): void {
    this.#waiting.delete(node);
    const limits = limitsOf(this.#ctx);
    const limit = limits.get(node) ?? limitCalls();
    limits.set(node, limit);
    // Fan-outs take turns: a tweet to few does not wait for all calls of one to many.
    const place = { queue: "", client: this.#placed.tweet };
    const call = limit(() => deliver(this.#ctx, this.#placed, homes.bytes()), place);
    // `finish` gets the failure; this only avoids an unhandled rejection before.
    call.catch(() => {});
    this.#calls.push(call);
  }
}

const movedAway = /\b(MOVED|ASK|TRYAGAIN|CROSSSLOT)\b|non.?local key/i;

/** If some timelines have just moved to another node, tries halves, down to each one alone. */
async function deliver(ctx: Ctx, placed: TimelineTweet, bytes: Buffer): Promise<void> {
  const { tweet, stamp } = placed;
  const { timelineCap: cap } = ctx.config;
  try {
    await ctx.redis.deliver(firstOf(bytes), tweet, stamp, cap, keptWhenCut(cap), bytes);
  } catch (error) {
    const homes = unpacked(bytes);
    if (homes.length === 1 || !movedAway.test(String(error))) throw error;
    const half = homes.length >> 1;
    await deliver(ctx, placed, packed(homes.slice(0, half)));
    await deliver(ctx, placed, packed(homes.slice(half)));
  }
}

const longestId = 15;

/** The key of an id that begins with zeros, which no user has, has a slot as well. */
const slotOf = (digits: string) => calculateSlot(keys.homeTimeline(digits as UserId));

const zeros = Array.from({ length: longestId + 1 }, (_, length) => slotOf("0".repeat(length)));
/** What each digit changes, by the number of digits behind it. */
const shares = Uint16Array.from({ length: longestId * 10 }, (_, nth) => {
  const behind = "0".repeat(Math.floor(nth / 10));
  return slotOf(`${nth % 10}${behind}`) ^ slotOf(`0${behind}`);
});

/**
 * The slot of a user's home timeline on a cluster; the id is some bytes of a text. A slot is a CRC: what a digit changes
 * in it does not depend on the other digits. So it takes a look-up for each digit, where making the key and its CRC
 * would be most of a fan-out's cost.
 */
export function homeSlot(text: Buffer, start: number, end: number): number {
  let slot = zeros[end - start] ?? 0;
  for (let at = start; at < end; at += 1)
    slot ^= shares[(end - 1 - at) * 10 + (text[at] ?? 48) - 48] ?? 0;
  return slot;
}
