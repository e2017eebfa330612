import type { Logger } from "pino";

/** Milliseconds. */
const usualPause = 5000;

interface Kind {
  /** When it may be said again. */
  next: number;
  unsaid: number;
}

const kindsOf = new WeakMap<Logger, Map<string, Kind>>();

/**
 * A line of the log, once in a while only: a flood of requests, or an outage, is none of log lines. The next
 * line of the kind says how many were left `unsaid`. There are to be few kinds; usually the text is the kind.
 */
export function sayRarely(
  log: Logger,
  level: "warn" | "error",
  about: object,
  text: string,
  { kind = text, pause = usualPause } = {},
): void {
  const kinds = kindsOf.get(log) ?? new Map<string, Kind>();
  kindsOf.set(log, kinds);
  const { next, unsaid } = kinds.get(kind) ?? { next: -Infinity, unsaid: 0 };
  const now = performance.now();
  if (now < next) kinds.set(kind, { next, unsaid: unsaid + 1 });
  else {
    log[level](unsaid === 0 ? about : { ...about, unsaid }, text);
    kinds.set(kind, { next: now + pause, unsaid: 0 });
  }
}
