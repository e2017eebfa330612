import type { Command } from "../redis/exec.ts";
import type { Exam } from "./exam.ts";
import { type FoundKey, type KeyKind, keyKinds, type KeyName } from "./key-kinds.ts";

const sizeOf = { string: "strlen", hash: "hlen", zset: "zcard", stream: "xlen" } as const;

/** Lists that the site trims itself; for other lists, too many members need a decision. */
const trimmed: ReadonlySet<KeyName> = new Set<KeyName>([
  "sessions",
  "newestUsers",
  "notifications",
  "bookmarks",
  "answers",
  "globalTimeline",
  "searchTerm",
  "tag",
  "tagUses",
]);

/** A fault of a key, independent of its contents. */
type Fault = "wrong-type" | "no-expiry" | "expiry" | "too-large";

/** Returns the keys of the right type; suspects wrong types, TTLs and sizes. */
export async function checkKeys(exam: Exam, found: FoundKey[]): Promise<FoundKey[]> {
  const states = await readStates(exam, found);
  return found.filter((one, index) => {
    const state = states[index];
    if (state === undefined || state.type === "none") return false;
    const fault = faultOf(exam, one, state);
    if (fault !== undefined) suspectKey(exam, one, fault);
    return fault !== "wrong-type";
  });
}

export function suspectUnknown(exam: Exam, key: string): void {
  exam.suspect({
    kind: "unknown-key",
    key,
    repair: "",
    look: async () =>
      (await exam.ctx.redis.exists(key)) === 0 ? undefined : "no key of Suzume is named so",
  });
}

interface State {
  type: string;
  /** TTL in seconds; -1 for none. */
  life: number;
  size: number;
}

async function readStates(exam: Exam, found: FoundKey[]): Promise<State[]> {
  const replies = await exam.ask<string | number>(
    found.flatMap(({ key }): Command[] => [
      ["type", key],
      ["ttl", key],
    ]),
  );
  const states = found.map((_, index): State => {
    const type = String(replies[2 * index]);
    return { type, life: Number(replies[2 * index + 1]), size: 0 };
  });
  const bounded = found.flatMap(({ key, name }, index) => {
    const { most, type } = keyKinds[name];
    const state = states[index];
    return most && type && state?.type === type ? [{ key, state, command: sizeOf[type] }] : [];
  });
  const sizes = await exam.ask<number>(bounded.map(({ command, key }) => [command, key]));
  for (const [index, { state }] of bounded.entries()) state.size = sizes[index] ?? 0;
  return states;
}

function faultOf(exam: Exam, { name }: FoundKey, state: State): Fault | undefined {
  const { type, expires, most } = keyKinds[name];
  if (type !== undefined && state.type !== type) return "wrong-type";
  if (expires === "never" && state.life >= 0) return "expiry";
  if (typeof expires === "object" && state.life === -1) return "no-expiry";
  return most !== undefined && state.size > most(exam.ctx.config) ? "too-large" : undefined;
}

function suspectKey(exam: Exam, found: FoundKey, fault: Fault): void {
  const { key, name } = found;
  const mend = mendOf(exam, found, fault);
  exam.suspect({
    kind: fault,
    key,
    async look() {
      const [state] = await readStates(exam, [found]);
      if (state === undefined || state.type === "none") return undefined;
      const again = faultOf(exam, found, state);
      return again === fault ? wordsOf(exam, keyKinds[name], state, fault) : undefined;
    },
    repair: mend?.words ?? "",
    ...(mend === undefined ? {} : { mend: mend.run }),
  });
}

function wordsOf(exam: Exam, { type, most }: KeyKind, state: State, fault: Fault): string {
  if (fault === "wrong-type") return `a ${state.type} where a ${type} belongs`;
  if (fault === "no-expiry") return "lives for ever, though it is to expire";
  if (fault === "expiry") return `vanishes in ${state.life} s, though it is to stay`;
  return `size ${state.size}, where ${most?.(exam.ctx.config)} is the most`;
}

/** Repairs that need no knowledge of the key's contents. */
function mendOf(exam: Exam, { key, name }: FoundKey, fault: Fault) {
  const { redis, config } = exam.ctx;
  const { expires, most, cache } = keyKinds[name];
  if (fault === "expiry") return { words: "let it stay", run: () => redis.persist(key) };
  if (fault === "no-expiry" && typeof expires === "object") {
    const seconds = expires.seconds(config);
    return {
      words: `let it expire in ${seconds} s`,
      run: () => redis.expire(key, seconds, "NX"),
    };
  }
  // The floor is a member of a timeline, and only its owner may move it.
  if (cache === true && (fault === "wrong-type" || name === "homeTimeline"))
    return { words: "delete it; it is made again", run: () => redis.unlink(key) };
  if (fault !== "too-large" || !trimmed.has(name) || most === undefined) return undefined;
  const kept = most(config);
  return {
    words: `keep the newest ${kept}`,
    run: () => redis.zremrangebyrank(key, 0, -kept - 1),
  };
}
