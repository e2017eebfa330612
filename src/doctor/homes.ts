import { type UserId, userId } from "../domain/ids.ts";
import { mergeUserTimelines } from "../domain/timelines/merge.ts";
import { allFollowings, countFollowers } from "../domain/graph/follows.ts";
import type { Command } from "../redis/exec.ts";
import { type Entry, toEntries } from "../domain/page.ts";
import { bigMember } from "../domain/timelines/store.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { FoundKey } from "./key-kinds.ts";

/** Newest entries of each home timeline whose authors are checked. */
const entriesChecked = 20;
/** Home timelines read at once; each may have TIMELINE_CAP entries. */
const readAtOnce = 50;
/** Max followings of a user whose timeline is checked for missing tweets: more would take too long. */
const followingsMerged = 500;

/**
 * A home timeline has a floor, has only tweets of followings, and lacks none above its floor. Entries of
 * deleted tweets are allowed: readers remove them.
 */
export const homeCheck: Check = {
  of: ["homeTimeline"],
  async look(exam, found) {
    for (let start = 0; start < found.length; start += readAtOnce) {
      const some = found.slice(start, start + readAtOnce);
      const faults = await faultsOf(exam, some);
      for (const [index, one] of some.entries())
        if (faults[index] !== undefined) suspectHome(exam, one);
    }
  },
};

/** For each timeline, what is wrong with it, or undefined. */
async function faultsOf(exam: Exam, found: FoundKey[]): Promise<(Fault | undefined)[]> {
  const replies = await exam.ask<string | string[] | null>(
    found.flatMap(({ key }): Command[] => [
      ["zscore", key, "floor"],
      ["zrange", key, 0, -1, "REV", "WITHSCORES"],
    ]),
  );
  const faults: (Fault | undefined)[] = [];
  for (const [index, { parts }] of found.entries()) {
    const owner = userId(parts[0] ?? "");
    const floor = replies[2 * index] as string | null;
    const stored = toEntries(replies[2 * index + 1] as string[]).filter(({ id }) => id !== "floor");
    if (floor === null) faults.push({ detail: "has no floor", tweets: [], authors: [] });
    // Not filled yet: rebuilt at the next look.
    else if (floor === "inf") faults.push(undefined);
    else
      faults.push(
        (await findForeign(exam, owner, stored.slice(0, entriesChecked))) ??
          (await findMissing(exam, { owner, floor: Number(floor), stored })),
      );
  }
  return faults;
}

interface Fault {
  detail: string;
  tweets: string[];
  authors: string[];
}

async function findForeign(exam: Exam, owner: UserId, stored: Entry[]): Promise<Fault | undefined> {
  const factsOf = await exam.facts.tweets(stored.map(({ id }) => id));
  const known = stored.flatMap(({ id }) => {
    const facts = factsOf(id);
    return facts?.state === "alive" && facts.author !== owner ? [{ id, author: facts.author }] : [];
  });
  if (known.length === 0) return undefined;
  const authors = [...new Set(known.map(({ author }) => author))];
  const stamps = await exam.ctx.redis.zmscore(keys.followings(owner), ...authors);
  const foreign = known.filter(({ author }) => (stamps[authors.indexOf(author)] ?? null) === null);
  if (foreign.length === 0) return undefined;
  const [{ id, author } = { id: "", author: "" }] = foreign;
  return {
    detail: `holds ${id} by ${author}, who is not followed`,
    tweets: foreign.map((one) => one.id),
    authors: foreign.map((one) => one.author),
  };
}

/** A tweet in the followings' timelines, above the floor, that this timeline lacks. */
async function findMissing(
  exam: Exam,
  { owner, floor, stored }: { owner: UserId; floor: number; stored: Entry[] },
): Promise<Fault | undefined> {
  const { ctx } = exam;
  if ((await ctx.redis.zcard(keys.followings(owner))) > followingsMerged) return undefined;
  const followings = await allFollowings(ctx, owner);
  const shown = new Set<string>([owner, ...followings]);
  const limit = ctx.config.timelineCap;
  const range = { before: undefined, after: Math.max(floor - 1, 0), limit };
  const newest = await mergeUserTimelines(
    ctx,
    [owner, ...followings],
    range,
    (author, to) => author === owner || shown.has(to),
  );
  const held = new Set(stored.map(({ id }) => id));
  const absent = newest.filter(({ id, stamp }) => !held.has(id) && !exam.isYoung(stamp));
  if (absent.length === 0) return undefined;
  const factsOf = await exam.facts.tweets(absent.map(({ id }) => id));
  for (const { id } of absent) {
    const facts = factsOf(id);
    if (facts?.state !== "alive" || (await isBig(exam, id, facts))) continue;
    const { author } = facts;
    return { detail: `lacks ${id} by ${author}`, tweets: [id], authors: [author] };
  }
  return undefined;
}

/** Whether the tweet is by a big account: home pages take it from the big timeline. */
async function isBig(
  { ctx }: Exam,
  tweet: string,
  { author, replyTo }: { author: UserId; replyTo?: { author: UserId } | undefined },
): Promise<boolean> {
  const inReplyToUser = replyTo?.author === author ? undefined : replyTo?.author;
  const member = bigMember({ tweet: tweet as never, author, inReplyToUser });
  if ((await ctx.redis.zscore(keys.bigTimeline, member)) !== null) return true;
  return (await countFollowers(ctx, author)) > ctx.config.bigAccountFollowers;
}

function suspectHome(exam: Exam, found: FoundKey): void {
  const { key, parts } = found;
  const owner = parts[0] ?? "";
  exam.suspect({
    kind: "home",
    key,
    jobs: [`erase ${owner}`, `import ${owner}`],
    async look(pending) {
      const [state] = await exam.facts.readUsers([userId(owner)]);
      if (state !== "alive") return undefined;
      const [fault] = await faultsOf(exam, [found]);
      if (fault === undefined || (await exam.ctx.redis.exists(key)) === 0) return undefined;
      const isUnderWay =
        fault.tweets.some((id) => pending.has(`deliver ${id}`) || pending.has(`spread ${id}`)) ||
        fault.authors.some(
          (id) => pending.has(`settle-follow ${owner} ${id}`) || pending.has(`import ${id}`),
        );
      return isUnderWay ? undefined : fault.detail;
    },
    repair: "delete it; it is made anew at the next look",
    mend: () => exam.ctx.redis.unlink(key),
  });
}
