import { parseStamp, type Stamp } from "../../domain/stamp.ts";

/** How far an app was told: of tweets, and of notifications. It is the id of every event. */
export interface Place {
  tweets: Stamp;
  notifications: Stamp;
}

/** Max gap that a stream fills; a client that was away for longer reads the lists. */
const longestGap = 24 * 60 * 60 * 1e6;
/** So much may the clock of another process be ahead. */
const drift = 60 * 1e6;

export function serializeCursor({ tweets, notifications }: Place): string {
  return `${tweets}-${notifications}`;
}

/** From untrusted text; what is none is `now`, and no place is further from it than makes sense. */
export function parsePlace(raw: string | undefined, now: Stamp): Place {
  const [, tweets = "", notifications = tweets] = /^(\d+)(?:-(\d+))?$/.exec(raw ?? "") ?? [];
  return {
    tweets: within(parseStamp(tweets), now),
    notifications: within(parseStamp(notifications), now),
  };
}

function within(stamp: Stamp | undefined, now: Stamp): Stamp {
  return Math.min(now + drift, Math.max(stamp ?? now, now - longestGap));
}
