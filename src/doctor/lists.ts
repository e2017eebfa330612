import type { Stamp } from "../domain/stamp.ts";
import type { Exam } from "./exam.ts";
import type { FoundKey } from "./key-kinds.ts";

/** Members read from one list at a time; small lists come whole. */
const count = 500;
/** Lists read at a time. */
const listsAtOnce = 100;
/** Members per batch, about. */
const membersAtOnce = 1000;

/** A member of a sorted set, or a field of a hash. */
export interface Member {
  of: FoundKey;
  id: string;
  /** The score, or the field's value. */
  value: string;
}

/** The score of a member. */
export function stampOf({ value }: Member): Stamp {
  return Number(value);
}

/** Forms of members. */
export const shapes = {
  id: /^[1-9]\d{0,14}$/,
  /** "tweet id:user id". */
  pair: /^[1-9]\d{0,14}:[1-9]\d{0,14}$/,
  /** The same, or "tweet id:user id:user id". */
  pairOrMore: /^[1-9]\d{0,14}(:[1-9]\d{0,14}){1,2}$/,
  /** "any words user id". */
  phrase: /^[^]+ [1-9]\d{0,14}$/,
  subject: /^[tp][1-9]\d{0,14}$/,
  any: /^/,
} as const;

/**
 * All members of sorted sets, in batches; a member may come twice. Members not in the form `shape` are
 * suspected and left out; floors are left out.
 */
export async function* membersOf(
  exam: Exam,
  found: FoundKey[],
  shape: keyof typeof shapes = "id",
): AsyncGenerator<Member[]> {
  for await (const batch of walk(exam, found, "zscan"))
    yield batch.filter((member) => isSpelled(exam, member, shape, "zscore"));
}

/** All fields of hashes, in the same way. */
export async function* fieldsOf(
  exam: Exam,
  found: FoundKey[],
  shape: keyof typeof shapes = "id",
): AsyncGenerator<Member[]> {
  for await (const batch of walk(exam, found, "hscan"))
    yield batch.filter((member) => isSpelled(exam, member, shape, "hget"));
}

function isSpelled(
  exam: Exam,
  { of: { key, name }, id }: Member,
  shape: keyof typeof shapes,
  command: "zscore" | "hget",
): boolean {
  if (shapes[shape].test(id)) return true;
  if (id === "floor" && (name === "homeTimeline" || name === "bigTimeline")) return false;
  exam.suspect({
    kind: "malformed-member",
    key,
    member: id,
    look: async () =>
      (await exam.ctx.redis.call(command, key, id)) === null
        ? undefined
        : `has ${JSON.stringify(id.slice(0, 100))}`,
    repair: "",
  });
  return false;
}

async function* walk(exam: Exam, found: FoundKey[], command: string): AsyncGenerator<Member[]> {
  for (let start = 0; start < found.length; start += listsAtOnce) {
    let open = found.slice(start, start + listsAtOnce).map((of) => ({ of, cursor: "0" }));
    let batch: Member[] = [];
    while (open.length > 0) {
      const replies = await exam.ask<[cursor: string, flat: string[]]>(
        open.map(({ of, cursor }) => [command, of.key, cursor, "COUNT", count]),
      );
      const goOn: typeof open = [];
      for (const [nth, { of }] of open.entries()) {
        const [cursor = "0", flat = []] = replies[nth] ?? [];
        for (let at = 0; at < flat.length; at += 2)
          batch.push({ of, id: flat[at] ?? "", value: flat[at + 1] ?? "" });
        if (cursor !== "0") goOn.push({ of, cursor });
        if (batch.length < membersAtOnce) continue;
        yield batch;
        batch = [];
      }
      open = goOn;
    }
    if (batch.length > 0) yield batch;
  }
}
