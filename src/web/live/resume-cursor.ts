import { parseStamp, type Stamp } from "../../domain/stamp.ts";

/** Cursor: an app was sent tweets and notifications up to these stamps. Each event has it as its id. */
export interface ResumeCursor {
  tweets: Stamp;
  notifications: Stamp;
}

/** Max gap that a stream fills; a client that was away for longer reads the lists. */
const longestGap = 24 * 60 * 60 * 1e6;
/** Max time by which the clock of another process may be ahead. */
const drift = 60 * 1e6;

export function serializeCursor({ tweets, notifications }: ResumeCursor): string {
  return `${tweets}-${notifications}`;
}

/** From untrusted text: `now` if it is malformed, and always within the gap and the drift. */
export function parseCursor(raw: string | undefined, now: Stamp): ResumeCursor {
  const [, tweets = "", notifications = tweets] = /^(\d+)(?:-(\d+))?$/.exec(raw ?? "") ?? [];
  return {
    tweets: within(parseStamp(tweets), now),
    notifications: within(parseStamp(notifications), now),
  };
}

function within(stamp: Stamp | undefined, now: Stamp): Stamp {
  return Math.min(now + drift, Math.max(stamp ?? now, now - longestGap));
}
