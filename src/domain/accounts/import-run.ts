import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import type { UserId, Stamp } from "../ids.ts";
import type { Payer } from "../users/payer.ts";

export interface Alive {
  /** Called before each batch of tweets and each picture. Rejects if another job has taken over. */
  alive(): Promise<void>;
}

/** An import whose rows are being written. */
export interface ImportRun extends Alive {
  ctx: Ctx;
  /** The user, and the network that pays. */
  payer: Payer;
  id: string;
  startedAt: Stamp;
  tally: Tally;
  /** Whether the user's room for pictures is full. */
  isOver?: boolean;
}

/** Seconds; a batch of tweets or a picture takes less. */
export const claimSeconds = ttlOf("importClaim");

/** The right of one job to work on a user's import. It lapses after its process has died. */
export function importClaim({ redis }: Ctx, user: UserId) {
  const [key, token] = [keys.importClaim(user), randomUUID()];
  return {
    /** False while another job has it. */
    take: async () => (await redis.holdClaim(key, token, claimSeconds)) === 1,
    /** Throws if it has lapsed: what this job knows of the import may be old, even if no other job has begun. */
    async renew(): Promise<void> {
      if ((await redis.replaceText(key, token, token, claimSeconds)) === 0)
        throw new Error("the claim of the import has lapsed");
    },
    release: () => redis.releaseClaim(key, token),
  };
}

/** Field of the claim of a follow, in the hash of the claims of tweets. */
export function followClaim(followee: UserId): string {
  return `follow:${followee}`;
}

/**
 * Why a row was not imported. "picture", "pictures": not rows but pictures, those that could not be read and those over
 * the budget of the day or the quota.
 */
export type SkipReason =
  | ("malformed" | "budget" | "picture" | "pictures")
  | ("retweet" | "private" | "text" | "blocked" | "date" | "recent" | "moment" | "deleted" | "bare")
  | ("person" | "refused" | "lists" | "tags" | "words" | "follows");

/** What happened to a row: imported by this import, known as it existed before, or skipped. */
export type Outcome = "imported" | "known" | SkipReason;

/**
 * What is counted of imported things. "lists": made or filled; "pictures": of imported tweets; "unlisted": imported or
 * known tweets that search may not find yet.
 */
export type Counter = "tweets" | "follows" | "lists" | "tags" | "words" | "pictures" | "unlisted";

/** Progress of an import. Numbers are set, never incremented, so that a part may be done twice. */
export interface ImportProgress extends Partial<Record<Counter, number>> {
  /** Finished parts. */
  parts: number;
  /** Finished rows, imported or not. */
  items: number;
  /** Rows that existed before. */
  known: number;
  skipped: Partial<Record<SkipReason, number>>;
  /** Cursor, after the last row: home timelines of followers up to this stamp have been updated. */
  told: Stamp;
  /** Whether everything is done. */
  done: boolean;
  /** Cursor among the claims of an import that is undone, and number of tweets and follows that are gone. */
  cursor?: string;
  removed?: number;
  /** Whether that cursor has met no claim since it was at the start. */
  isClean?: boolean;
  /** Whether it is undone. */
  ended?: boolean;
}

/** Adds the numbers of a part to those before it. */
export class Tally {
  readonly progress: ImportProgress;

  constructor(before: ImportProgress) {
    this.progress = { ...before, skipped: { ...before.skipped } };
  }

  note(counter: Counter, outcome: Outcome): void {
    if (outcome === "imported") this.count(counter, 1);
    else if (outcome === "known") this.progress.known += 1;
    else this.skip(outcome, 1);
  }

  count(counter: Counter, number: number): void {
    this.progress[counter] = (this.progress[counter] ?? 0) + number;
  }

  skip(reason: SkipReason, number: number): void {
    if (number > 0) this.progress.skipped[reason] = (this.progress.skipped[reason] ?? 0) + number;
  }
}
