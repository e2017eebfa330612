import type { Ctx } from "../context.ts";
import { exec } from "../redis/exec.ts";
import { unrecorded } from "./scope.ts";
import type { Reading } from "../redis/memory.ts";

/** Which members one key has, as far as it was asked; good until the key changes, as the memory tells. */
interface Members {
  size: number;
  known: Map<string, boolean>;
}

/** Keys of one kind, and the command that tells of many members at once. */
interface Membership<Subject> extends Reading<Subject, Members> {
  ask: "zmscore" | "hmget";
}

/** Max answers kept for each key, enough for a page. Small keys are many, so each keeps fewer. */
const membersKept = 250;
const bytesOfMember = 32;

function mostKept({ size }: Members): number {
  return size === 0 ? 0 : Math.min(membersKept, 64 + 2 * size);
}

export function membersOf<Subject>(
  kind: "zset" | "hash",
  key: (subject: Subject) => string,
): Membership<Subject> {
  return {
    key,
    command: [kind === "zset" ? "zcard" : "hlen"],
    parse: (reply) => ({ size: Number(reply), known: new Map() }),
    reserve: (members) => mostKept(members) * bytesOfMember,
    ask: kind === "zset" ? "zmscore" : "hmget",
  };
}

/**
 * Those of `asked` that the subject's key has; of each member Redis is asked once until the key changes.
 * What is learned is newer than the key's first reading, so the memory forgets it with that.
 */
export async function membersAmong<Subject, Member extends string>(
  ctx: Ctx,
  membership: Membership<Subject>,
  subject: Subject,
  asked: Iterable<Member>,
): Promise<Set<Member>> {
  const [members] = await ctx.memory.read(ctx.redis, membership, [subject]);
  if (members === undefined || members.size === 0) return new Set();
  const { known } = members;
  const [has, unknown] = [new Set<Member>(), new Set<Member>()];
  for (const member of asked)
    if (known.get(member) === true) has.add(member);
    else if (!known.has(member)) unknown.add(member);
  if (unknown.size === 0) return has;
  const [values] = await unrecorded(() =>
    exec(ctx.redis, [[membership.ask, membership.key(subject), ...unknown]]),
  );
  const most = mostKept(members);
  if (known.size + unknown.size > most) known.clear();
  for (const [index, member] of [...unknown].entries()) {
    const isMember = (values as (string | null)[])[index] !== null;
    if (known.size < most) known.set(member, isMember);
    if (isMember) has.add(member);
  }
  return has;
}
