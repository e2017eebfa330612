import type { Ctx } from "../context.ts";
import type { Queues } from "../jobs/queue.ts";
import type { KeyName } from "../redis/keys.ts";
import { groupBy, type Item } from "./items.ts";
import { inBatches } from "../domain/concurrency-limit.ts";
import { edges, followOptions, followsAcrossBlocks, listMembers, requests } from "./edges.ts";
import { areMany, Run, type KeyCheck, type LookOptions } from "./run.ts";
import { homes } from "./homes.ts";
import { checkJobs } from "./jobs.ts";
import { checkCounters, future, soundKeys, unknownKeys } from "./keys.ts";
import { peopleEntryLists, peopleIndex, termLists, tweetIndex } from "./search-index.ts";
import { checkFiles, headers, pictures, storedBytes } from "./pictures.ts";
import { segmentKeys, segmentList, segmentTerms } from "./segments.ts";
import { openSubjects, reportedSubjects, reports } from "./reports.ts";
import { retweets, unknownRetweets } from "./retweets.ts";
import { type Finding, lookAgain } from "./second-look.ts";
import { checkServers } from "./server.ts";
import { addressLists, addresses, appTokens, apps, sessions, userTokens } from "./sign-ins.ts";
import { tweetLists, unlistedTweets } from "./tweet-lists.ts";
import { editedTerms, histories, tweets } from "./tweets.ts";
import {
  conversationLists,
  importItems,
  imports,
  leftBehind,
  lostUsers,
  names,
  savedDrafts,
} from "./user-data.ts";
import { pollNumbers, votes } from "./votes.ts";
import { accounts, listedUsers, mirroredUsers, weeklyMails } from "./users.ts";
import { countKeys, countUsers, type Found, membersOf, scanKeys } from "./walk.ts";

/** All checks of what keys hold, see run.ts; keys.ts has those of types, TTLs and sizes, which come before. */
const checks: readonly KeyCheck[] = [
  [accounts, ...mirroredUsers, names, lostUsers, leftBehind, listedUsers],
  [addresses, addressLists, weeklyMails],
  [sessions, userTokens, appTokens, apps],
  [...edges, requests, followsAcrossBlocks, retweets, unknownRetweets],
  [listMembers, followOptions, conversationLists],
  [pictures, headers, storedBytes, savedDrafts],
  [pollNumbers, votes],
  [tweets, histories, unlistedTweets, tweetLists, homes],
  [tweetIndex, editedTerms, termLists, segmentKeys, segmentList, segmentTerms],
  [peopleIndex, peopleEntryLists],
  [openSubjects, reportedSubjects, reports, imports, importItems, future],
].flat();

/** Max suspects in memory before the second look. */
const suspectsHeld = 20_000;
/** Max keys read at a time by a check. */
const keysAtOnce = 500;
/** Max looks with --repair; stops earlier if a look finds nothing repairable. */
const looksAtMost = 4;
/** Max findings of a kind that are returned; all are counted. */
const findingsPerKind = 1000;

interface ExamineOptions extends LookOptions {
  repair: boolean;
  /** Whether files and users are removed even if many of them have no owner and no account. */
  removeMany?: boolean;
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
  notes: string[];
}

/** Options for a site that is running. */
export const cautious: LookOptions = { minAge: 60_000, pause: 4000 };

/**
 * Looks at all of Suzume's data in one Redis or a cluster. With `repair`, repairs it and looks again, as some
 * damage shows only after other damage is repaired.
 */
export async function examine(ctx: Ctx, queues: Queues, options: ExamineOptions): Promise<Result> {
  const began = performance.now();
  const result: Result = { findings: [], counts: {}, left: 0, keys: 0, seconds: 0, notes: [] };
  const reported = new Set<string>();
  // Counted once: repairs delete keys of these users, too.
  const { all, lost } = await countUsers(ctx.redis);
  const keepsLost = options.removeMany !== true && areMany(lost, all);
  for (let look = 1; look <= looksAtMost; look += 1) {
    let repaired = 0;
    await lookOnce(ctx, queues, { ...options, keepsLost, result }, (finding) => {
      const { kind, key, detail } = finding;
      if (finding.repaired === true) repaired += 1;
      else if (look > 1 && reported.has(`${kind} ${key} ${detail}`)) return;
      else if (options.repair) reported.add(`${kind} ${key} ${detail}`);
      note(result, finding);
    });
    if (repaired === 0) break;
  }
  if (keepsLost)
    result.notes.push(
      `${lost} of ${all} users have data, but no account: has a server lost its keys? Then only the counters ` +
        "of ids are repaired. If these users are to go: --repair --remove-many",
    );
  result.seconds = Math.round((performance.now() - began) / 100) / 10;
  return result;
}

async function lookOnce(
  ctx: Ctx,
  queues: Queues,
  { result, ...options }: ExamineOptions & { result: Result },
  tell: (finding: Finding) => void,
): Promise<void> {
  const run = new Run(ctx, options);
  const again = () => lookAgain(run, queues, { repair: options.repair, tell });
  result.notes = await checkServers(run);
  // Counters first: while one is too low, ids are given out twice.
  for await (const { known } of scanKeys(ctx.redis))
    for (const { name, owner } of known)
      if (name === "user" || name === "tweet") run.saw(name, owner);
  await checkCounters(run);
  await again();

  const total = await countKeys(ctx.redis);
  result.keys = 0;
  for await (const step of scanKeys(ctx.redis)) {
    result.keys += step.known.length + step.unknown.length;
    await lookAt(run, step);
    if (run.suspects.size >= suspectsHeld) await again();
    options.progress(result.keys, total);
  }
  await checkFiles(run, again, options);
  await checkCounters(run);
  await checkJobs(run, queues);
  await again();
}

async function lookAt(run: Run, { known, unknown }: Found): Promise<void> {
  await run.look(unknownKeys, unknown);
  const sound = groupBy(await soundKeys(run, known), ({ name }) => name);
  // All at once, so that Redis works while this process reads its replies.
  await Promise.all(checks.map((check) => lookBy(run, check, sound)));
}

async function lookBy(run: Run, check: KeyCheck, sound: Map<KeyName, Item[]>): Promise<void> {
  const items = check.of.flatMap((name) => sound.get(name) ?? []);
  const batches =
    check.each === "member" ? membersOf(run, items) : inBatches(items, check.atOnce ?? keysAtOnce);
  for await (const batch of batches) await run.look(check, batch);
}

function note(result: Result, finding: Finding): void {
  const before = result.counts[finding.kind] ?? 0;
  result.counts[finding.kind] = before + 1;
  if (finding.repaired !== true) result.left += 1;
  if (before < findingsPerKind) result.findings.push(finding);
}
