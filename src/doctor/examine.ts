import type { Ctx } from "../context.ts";
import type { Queues } from "../jobs/queue.ts";
import { checks } from "./checks.ts";
import { checkCounters } from "./counters.ts";
import { Exam, type LookOptions } from "./exam.ts";
import type { Finding } from "./finding.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";
import { checkJobs } from "./job-checks.ts";
import { checkKeys, suspectUnknown } from "./key-checks.ts";
import { countKeys, scanKeys, sortKeys } from "./scan.ts";
import { lookAgain } from "./second-look.ts";
import { checkServers, type Notes } from "./server.ts";

/** Max suspicions in memory before the second look. */
const suspicionsHeld = 20_000;
/** Max looks with --repair; stops earlier if a look finds nothing repairable. */
const looksAtMost = 4;
/** Max findings of a kind that are returned; all are counted. */
const findingsPerKind = 1000;

export interface ExamineOptions extends LookOptions {
  repair: boolean;
  /** Called at intervals; `total` is about the number of keys. */
  progress(keys: number, total: number): void;
}

export interface Result {
  /** At most a thousand of a kind. */
  findings: Finding[];
  /** Number of findings of each kind. */
  counts: Record<string, number>;
  /** Number of findings not repaired, without --repair or as they need a decision. */
  left: number;
  keys: number;
  seconds: number;
  /** Facts about Redis that are not wrong. */
  notes: Notes;
}

/** For a site that is running. */
export const cautious: LookOptions = { minAge: 60_000, pause: 4000 };

/**
 * Looks at all of Suzume's data in one Redis or a cluster. With `repair`, repairs it and looks again, as some
 * damage shows only after other damage is repaired.
 */
export async function examine(ctx: Ctx, queues: Queues, options: ExamineOptions): Promise<Result> {
  const began = performance.now();
  const result: Result = { findings: [], counts: {}, left: 0, keys: 0, seconds: 0, notes: [] };
  const reported = new Set<string>();
  for (let look = 1; look <= looksAtMost; look += 1) {
    let repaired = 0;
    await lookOnce(ctx, queues, { ...options, result }, (finding) => {
      const { kind, key, detail } = finding;
      if (finding.repaired === true) repaired += 1;
      else if (look > 1 && reported.has(`${kind} ${key} ${detail}`)) return;
      else if (options.repair) reported.add(`${kind} ${key} ${detail}`);
      note(result, finding);
    });
    if (repaired === 0) break;
  }
  result.seconds = Math.round((performance.now() - began) / 100) / 10;
  return result;
}

async function lookOnce(
  ctx: Ctx,
  queues: Queues,
  { result, ...options }: ExamineOptions & { result: Result },
  tell: (finding: Finding) => void,
): Promise<void> {
  const exam = new Exam(ctx, options);
  const again = () => lookAgain(exam, queues, { repair: options.repair, tell });
  result.notes = await checkServers(exam);
  // Counters first: while one is too low, ids are given out twice.
  for await (const found of scanKeys(ctx.redis)) noteIds(exam, found);
  checkCounters(exam);
  await again();

  const total = await countKeys(ctx.redis);
  result.keys = 0;
  for await (const found of scanKeys(ctx.redis)) {
    result.keys += found.length;
    await lookAt(exam, found);
    if (exam.suspicions.size >= suspicionsHeld) await again();
    options.progress(result.keys, total);
  }
  checkCounters(exam);
  await checkJobs(exam, queues);
  await again();
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
  // All at once, so that Redis works while this process reads its replies.
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
  if (before < findingsPerKind) result.findings.push(finding);
}
