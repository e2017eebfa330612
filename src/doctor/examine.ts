import type { Ctx } from "../context.ts";
import type { Queues } from "../jobs/queue.ts";
import { checks } from "./checks.ts";
import { checkCounters } from "./counters.ts";
import { Exam, type Manners } from "./exam.ts";
import type { Finding } from "./finding.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";
import { checkJobs } from "./job-checks.ts";
import { checkKeys, suspectUnknown } from "./key-checks.ts";
import { countKeys, scanKeys, sortKeys } from "./scan.ts";
import { lookAgain } from "./second-look.ts";
import { checkServers, type Notes } from "./server.ts";

/** Suspicions held in memory before the second look. */
const suspicionsHeld = 20_000;
/** Findings of a kind that are told one by one; all are counted. */
const toldOfKind = 1000;

export interface Wishes extends Manners {
  repair: boolean;
  /** Called now and then; `total` is about how many keys there are. */
  progress(keys: number, total: number): void;
}

export interface Result {
  /** At most a thousand of a kind. */
  findings: Finding[];
  /** How many of each kind. */
  counts: Record<string, number>;
  /** Findings that are not right now, for want of --repair or of a decision. */
  left: number;
  keys: number;
  seconds: number;
  /** About Redis itself, of which nothing is wrong. */
  notes: Notes;
}

/** The manners of a look at a site that runs. */
export const cautious: Manners = { minAge: 60_000, pause: 4000 };

/** Looks at all that Suzume keeps in one Redis or a cluster, and repairs it if wanted. */
export async function examine(ctx: Ctx, queues: Queues, wishes: Wishes): Promise<Result> {
  const began = performance.now();
  const exam = new Exam(ctx, wishes);
  const result: Result = { findings: [], counts: {}, left: 0, keys: 0, seconds: 0, notes: [] };
  const tell = (finding: Finding) => note(result, finding);
  const again = () => lookAgain(exam, queues, { repair: wishes.repair, tell });

  result.notes = await checkServers(exam);
  // Counters first: while one is too low, ids are handed out twice.
  for await (const found of scanKeys(ctx.redis)) noteIds(exam, found);
  checkCounters(exam);
  await again();

  const total = await countKeys(ctx.redis);
  for await (const found of scanKeys(ctx.redis)) {
    result.keys += found.length;
    await lookAt(exam, found);
    if (exam.suspicions.size >= suspicionsHeld) await again();
    wishes.progress(result.keys, total);
  }
  checkCounters(exam);
  await checkJobs(exam, queues);
  await again();
  result.seconds = Math.round((performance.now() - began) / 100) / 10;
  return result;
}

function noteIds({ maxIds }: Exam, found: string[]): void {
  const { known } = sortKeys(found);
  for (const { parts } of known.get("user") ?? []) maxIds.sawUser(parts[0]);
  for (const { parts } of known.get("tweet") ?? []) maxIds.sawTweet(parts[0]);
}

async function lookAt(exam: Exam, found: string[]): Promise<void> {
  const { known, unknown } = sortKeys(found);
  for (const key of unknown) suspectUnknown(exam, key);
  const sound = new Map<KeyName, FoundKey[]>();
  for (const one of await checkKeys(exam, [...known.values()].flat())) {
    const alike = sound.get(one.name);
    if (alike === undefined) sound.set(one.name, [one]);
    else alike.push(one);
  }
  // At once, so that Redis has something to do while this process looks at its replies.
  await Promise.all(
    checks.map(async (check) => {
      const shown = check.of.flatMap((name) => sound.get(name) ?? []);
      if (shown.length > 0) await check.look(exam, shown);
    }),
  );
}

function note(result: Result, finding: Finding): void {
  const before = result.counts[finding.kind] ?? 0;
  result.counts[finding.kind] = before + 1;
  if (finding.repaired !== true) result.left += 1;
  if (before < toldOfKind) result.findings.push(finding);
}
