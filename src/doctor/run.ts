import type { Ctx } from "../context.ts";
import { isOutage } from "../domain/outage.ts";
import type { Stamp } from "../domain/ids.ts";
import type { KeyName } from "../redis/keys.ts";
import { Facts, type TweetFacts } from "./facts.ts";
import { type Item, rowOf } from "./items.ts";

/** What is checked: for most checks an Item, which is a key or a member of a key. */
export interface Target {
  key: string;
  /** The part of the key, if several parts can be wrong in the same way. */
  id?: string;
}

/**
 * Checks targets of one sort, always in the same course: `read` fetches the present state of many targets at
 * once, and the `detail` of each fault says what is wrong with a state. A target that looks wrong is only
 * suspected: the site changes its data meanwhile. The second look does the same again; see second-look.ts.
 */
export interface Check<
  T extends Target = Target,
  State extends Target = Target,
> extends Judgement<State> {
  /** The targets that the check concerns, with what is to know about them. */
  read(run: Run, targets: T[]): Promise<State[]>;
}

interface Judgement<State extends Target> {
  /** Where the damage is, if not at the target itself. */
  place?(state: State): Target;
  /**
   * Jobs that will settle any damage here while they wait or run, in the form of jobs.ts; beside the erasure of the
   * users whom a key or a member names.
   */
  jobs?(state: State): string[];
  /** By kind, such as "follow-mirror". Of several of a kind, the first counts. */
  faults: Record<string, Fault<State> | Fault<State>[] | Fault<State>["detail"]>;
}

/** A kind of damage. Only its `detail` is given if a human must decide what to do. */
interface Fault<State> {
  /** What is wrong; false or undefined if nothing is. */
  detail(state: State, run: Run): string | false | undefined;
  /** Description of `repair`. */
  how?: string;
  /** Gets the state as just read. May run twice. */
  repair?(run: Run, state: State): Promise<unknown>;
}

interface Range {
  /** Kinds of keys that are checked. */
  of: KeyName[];
  /** Checks each member of a sorted set or field of a hash, instead of the keys themselves. */
  each?: "member";
  /** Max keys read at a time, if they are large. */
  atOnce?: number;
}

/** A check of some kinds of keys. */
export interface KeyCheck<State extends Item = Item> extends Range, Check<Item, State> {}

/** Reads one target; undefined: the check does not concern it. */
interface ReadOne<T, State> {
  read(run: Run, target: T): Promise<State | undefined>;
}

/** A check that reads each target by itself, all at the same time: the client sends in common pipelines what they ask. */
export function eachTarget<T extends Target, State extends T>(
  check: ReadOne<T, State> & Judgement<NoInfer<State>>,
): Check<T, State> {
  return {
    ...check,
    async read(run, targets) {
      const states = await Promise.all(targets.map((target) => check.read(run, target)));
      return states.filter((state) => state !== undefined);
    },
  };
}

/** Such a check of keys. */
export function eachKey<State extends Item>(
  check: ReadOne<Item, State> & Judgement<NoInfer<State>> & Range,
): KeyCheck<State> {
  return { ...check, ...eachTarget<Item, State>(check) };
}

/** A check that reads many keys together. Infers the type of the state from `read`. */
export function keyCheck<State extends Item>(check: KeyCheck<State>): KeyCheck<State> {
  return check;
}

/** Takes a member out of its sorted set, or a field out of its hash. */
export async function takeOut({ ctx }: Run, { key, name, id }: Item): Promise<void> {
  await ctx.redis[rowOf(name).type === "hash" ? "hdel" : "zrem"](key, id);
}

export async function unlink({ ctx }: Run, { key }: Target): Promise<void> {
  await ctx.redis.unlink(key);
}

export interface Suspect {
  kind: string;
  /** Where the damage is. */
  key: string;
  check: Check;
  /** Undefined for a target that could not be read. */
  fault?: Fault<Target>;
  target: Target;
}

export interface LookOptions {
  /** Milliseconds; younger data is skipped: it may be incomplete. */
  minAge: number;
  /** Milliseconds between the first look and the second. */
  pause: number;
  /** Whether keys were probably lost, as many users have no account: then only the counters of ids are repaired. */
  keepsLost?: boolean;
}

/** Whether so many are wrong that Redis has probably lost keys. Then nothing is removed unless the host asks for it. */
export function areMany(wrong: number, all: number): boolean {
  return wrong > Math.max(10, 0.1 * all);
}

/** Max users and max tweets that a look remembers: at all keys, and at a single target. */
const remembered = { all: 100_000, single: 100 };

/** One look at Suzume's data, shared by the checks. */
export class Run {
  readonly ctx: Ctx;
  readonly options: LookOptions;
  readonly facts: Facts;
  /** The highest ids that were found anywhere. */
  readonly maxIds = { user: 0, tweet: 0, app: 0 };
  /** Suspects that wait for the second look, without duplicates. */
  readonly suspects = new Map<string, Suspect>();

  constructor(ctx: Ctx, options: LookOptions, max = remembered.all) {
    this.ctx = ctx;
    this.options = options;
    this.facts = new Facts(ctx.redis, max);
  }

  /** A run that has read nothing yet, for a second look at a single target. */
  again(): Run {
    return new Run(this.ctx, this.options, remembered.single);
  }

  /** Suspects those of the targets that look wrong or cannot be read; returns the states. */
  async look<T extends Target, State extends T>(
    check: Check<T, State>,
    targets: T[],
  ): Promise<State[]> {
    let states: State[];
    try {
      states = await check.read(this, targets);
    } catch (error) {
      if (isOutage(error)) throw error;
      // A key to be read has the wrong type: look at each target by itself.
      if (targets.length > 1)
        return (await Promise.all(targets.map((target) => this.look(check, [target])))).flat();
      for (const target of targets) this.#suspect("unreadable", target, { check, target });
      return [];
    }
    const { keepsLost } = this.options;
    for (const [kind, faults] of Object.entries(check.faults))
      for (const fault of typeof faults === "function" ? [{ detail: faults }] : [faults].flat())
        for (const target of states.filter((state) => fault.detail(state, this)))
          this.#suspect(kind, check.place?.(target) ?? target, {
            check,
            // What names lost keys is right again once they are back.
            fault: keepsLost && kind !== "counter" ? { detail: fault.detail } : fault,
            target,
          });
    return states;
  }

  #suspect(kind: string, { key, id = "" }: Target, about: Omit<Suspect, "kind" | "key">): void {
    const name = `${kind} ${key} ${id}`;
    if (!this.suspects.has(name)) this.suspects.set(name, { kind, key, ...about });
  }

  /** Whether the data is so recent, by either clock, that it may be incomplete. */
  isYoung(stamp: Stamp | string | null | undefined): boolean {
    return Math.abs(this.ctx.now() - Number(stamp ?? 0) / 1000) < this.options.minAge;
  }

  /** A tweet that exists, and is not so recent. */
  async livingTweet(id: string): Promise<TweetFacts | undefined> {
    const tweet = await this.facts.tweet(id);
    return tweet?.alive === true && !this.isYoung(tweet.createdAt) ? tweet : undefined;
  }

  saw(which: keyof Run["maxIds"] | undefined, id: string | undefined): void {
    const number = Number(id);
    if (which !== undefined && number > this.maxIds[which]) this.maxIds[which] = number;
  }
}
