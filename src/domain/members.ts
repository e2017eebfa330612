import type { Ctx } from "../context.ts";
import { exec, execEach } from "../redis/exec.ts";
import { withoutCaching } from "./scope.ts";
import type { Reading } from "../redis/memory.ts";

/** Reads what the key of a subject says: in no round trip while the key is unchanged. */
export const readerOf =
  <Subject, Value>(reading: Reading<Subject, Value>) =>
  async ({ memory, redis }: Ctx, subject: Subject): Promise<Value> => {
    const read = memory.read(redis, reading, [subject]);
    // Each turn that nothing waits for counts: a page has some forty readings.
    const [value] = read instanceof Promise ? await read : read;
    return value as Value;
  };

/** Known members and the size of one key; valid until the key changes. */
interface Members {
  size: number;
  known: Map<string, boolean>;
}

/** Max answers kept for each key, enough for a page. Small keys are many, so each keeps fewer. */
const membersKept = 250;
const bytesOfMember = 32;

function mostKept({ size }: Members): number {
  return size === 0 ? 0 : Math.min(membersKept, 64 + 2 * size);
}

/**
 * Asks which of some members a key has. Redis is asked about each member once until the key changes. Answers
 * are newer than the key's first reading, so the memory forgets them with that.
 */
export function membersOf<Subject>(kind: "zset" | "hash", key: (subject: Subject) => string) {
  const reading: Reading<Subject, Members> = {
    key,
    command: [kind === "zset" ? "zcard" : "hlen"],
    parse: (reply) => ({ size: Number(reply), known: new Map() }),
    reserve: (members) => mostKept(members) * bytesOfMember,
  };
  const command = kind === "zset" ? "zmscore" : "hmget";
  return async <Member extends string>(
    ctx: Ctx,
    subject: Subject,
    asked: Iterable<Member>,
  ): Promise<Set<Member>> => {
    const read = ctx.memory.read(ctx.redis, reading, [subject]);
    const [members] = read instanceof Promise ? await read : read;
    if (members === undefined || members.size === 0) return new Set();
    const { known } = members;
    const [has, unknown] = [new Set<Member>(), new Set<Member>()];
    for (const member of asked)
      if (known.get(member) === true) has.add(member);
      else if (!known.has(member)) unknown.add(member);
    if (unknown.size === 0) return has;
    const [values] = await withoutCaching(() =>
      exec(ctx.redis, [[command, key(subject), ...unknown]]),
    );
    const most = mostKept(members);
    if (known.size + unknown.size > most) known.clear();
    for (const [index, member] of [...unknown].entries()) {
      const isMember = (values as (string | null)[])[index] !== null;
      if (known.size < most) known.set(member, isMember);
      if (isMember) has.add(member);
    }
    return has;
  };
}

/** Of some subjects, those whose sorted set has a member at this moment. */
export async function thoseWith<Subject>(
  { redis }: Ctx,
  subjects: readonly Subject[],
  key: (subject: Subject) => string,
  member: string,
): Promise<Set<Subject>> {
  const stamps = await execEach(redis, subjects, (subject) => ["zscore", key(subject), member]);
  return new Set(subjects.filter((_, index) => stamps[index] !== null));
}
