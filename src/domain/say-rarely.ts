import type { Logger } from "pino";
import { memo } from "./memo.ts";

/** By the kind of a line: the time of the next one, and how many were left out. */
const kindsOf = memo((_log: Logger) => new Map<string, { next: number; unsaid: number }>());

/**
 * Writes a line to the log, but rarely: a flood of requests, or an outage, must not flood the log. The next
 * line of its kind has the number of `unsaid` ones. Use few kinds; the default kind is the text. `pause`: milliseconds.
 */
export function sayRarely(
  log: Logger,
  level: "warn" | "error",
  about: object,
  text: string,
  { kind = text, pause = 5000 } = {},
): void {
  const kinds = kindsOf(log);
  const { next, unsaid } = kinds.get(kind) ?? { next: -Infinity, unsaid: 0 };
  const now = performance.now();
  if (now < next) kinds.set(kind, { next, unsaid: unsaid + 1 });
  else {
    log[level](unsaid === 0 ? about : { ...about, unsaid }, text);
    kinds.set(kind, { next: now + pause, unsaid: 0 });
  }
}
