import { userId } from "../domain/ids.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileFollow } from "../domain/actions/follow.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { UserState } from "./facts.ts";
import { type Member, membersOf, stampOf } from "./lists.ts";

/** A list that is the truth, and its mirror at the other end. */
interface Edge {
  kind: string;
  truth: "followings" | "blocks";
  mirror: "followers" | "blockedBy";
  job: string;
  reconcile(exam: Exam, from: string, to: string): Promise<void>;
}

const follows: Edge = {
  kind: "follow-mirror",
  truth: "followings",
  mirror: "followers",
  job: "settle-follow",
  reconcile: (exam, from, to) =>
    reconcileFollow(exam.ctx, { follower: userId(from), followee: userId(to) }),
};

const blocks: Edge = {
  kind: "block-mirror",
  truth: "blocks",
  mirror: "blockedBy",
  job: "settle-block",
  reconcile: (exam, from, to) =>
    reconcileBlock(exam.ctx, { blocker: userId(from), blocked: userId(to) }),
};

/** Both ends of each follow and block agree, including the stamp; no follow exists beside a block. */
export const edgeChecks: Check[] = [
  checkTruth(follows),
  checkMirror(follows),
  checkTruth(blocks),
  checkMirror(blocks),
  { of: ["blocks"], look: checkNoFollowAcross },
];

function checkTruth(edge: Edge): Check {
  return {
    of: [edge.truth],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const stamps = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["zscore", keys[edge.mirror](userId(id)), of.parts[0] ?? ""]),
        );
        const state = await exam.facts.users(endsOf(batch));
        for (const [index, member] of batch.entries()) {
          const { of, id, value } = member;
          exam.maxIds.sawUser(id);
          const isWhole = Number(stamps[index] ?? NaN) === Number(value) && state(id) === "alive";
          if (!isWhole && !exam.isYoung(stampOf(member))) suspectEdge(exam, edge, of.parts[0], id);
        }
      }
    },
  };
}

function checkMirror(edge: Edge): Check {
  return {
    of: [edge.mirror],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const stamps = await exam.ask<string | null>(
          batch.map(({ of, id }) => ["zscore", keys[edge.truth](userId(id)), of.parts[0] ?? ""]),
        );
        for (const [index, { of, id }] of batch.entries()) {
          exam.maxIds.sawUser(id);
          if (stamps[index] === null) suspectEdge(exam, edge, id, of.parts[0]);
        }
      }
    },
  };
}

function endsOf(batch: Member[]): string[] {
  return batch.flatMap(({ of, id }) => [id, of.parts[0] ?? ""]);
}

function suspectEdge(exam: Exam, edge: Edge, from = "", to = ""): void {
  const { redis } = exam.ctx;
  const truth = keys[edge.truth](userId(from));
  const mirror = keys[edge.mirror](userId(to));
  const read = async () => {
    const [since, mirrored, states] = await Promise.all([
      redis.zscore(truth, to),
      redis.zscore(mirror, from),
      exam.facts.readUsers([userId(from), userId(to)]),
    ]);
    return {
      since,
      mirrored,
      isSettled: states.every(isAliveOrGone),
      isGone: states.includes("gone"),
    };
  };
  exam.suspect({
    kind: edge.kind,
    key: truth,
    member: to,
    jobs: [`${edge.job} ${from} ${to}`, `erase ${from}`, `erase ${to}`],
    async look() {
      const { since, mirrored, isSettled, isGone } = await read();
      if (!isSettled || (since === null && mirrored === null)) return undefined;
      if (isGone) return `between ${from} and ${to}, one of whom is gone`;
      if (since === mirrored) return undefined;
      if (since === null) return `${mirror} has ${from}, ${truth} has no ${to}`;
      if (mirrored === null) return `${truth} has ${to}, ${mirror} has no ${from}`;
      return `stamp ${since} of ${to}, ${mirrored} in ${mirror}`;
    },
    repair: "make both ends agree with the truth",
    async mend() {
      const { isGone } = await read();
      if (!isGone) {
        await edge.reconcile(exam, from, to);
        return;
      }
      await redis.zrem(truth, to);
      await redis.zrem(mirror, from);
    },
  });
}

/** A job erases users who are leaving; the operator decides about lost ones. */
function isAliveOrGone(state: UserState): boolean {
  return state === "alive" || state === "gone";
}

async function checkNoFollowAcross(exam: Exam, found: Parameters<Check["look"]>[1]): Promise<void> {
  for await (const batch of membersOf(exam, found)) {
    const pairs = batch.map(({ of, id }) => [userId(of.parts[0] ?? ""), userId(id)] as const);
    const stamps = await exam.ask<string | null>(
      pairs.flatMap(([blocker, blocked]) => [
        ["zscore", keys.followings(blocker), blocked],
        ["zscore", keys.followings(blocked), blocker],
      ]),
    );
    for (const [index, [blocker, blocked]] of pairs.entries()) {
      if ((stamps[2 * index] ?? stamps[2 * index + 1] ?? null) === null) continue;
      suspectFollowAcross(exam, blocker, blocked);
    }
  }
}

function suspectFollowAcross(exam: Exam, blocker: string, blocked: string): void {
  const { redis } = exam.ctx;
  const [one, other] = [userId(blocker), userId(blocked)];
  exam.suspect({
    kind: "follow-across-block",
    key: keys.blocks(one),
    member: blocked,
    jobs: [
      `settle-block ${one} ${other}`,
      `settle-follow ${one} ${other}`,
      `settle-follow ${other} ${one}`,
    ],
    async look() {
      const [block, there, back] = await Promise.all([
        redis.zscore(keys.blocks(one), other),
        redis.zscore(keys.followings(one), other),
        redis.zscore(keys.followings(other), one),
      ]);
      if (block === null || (there ?? back) === null) return undefined;
      return `${one} blocks ${other}, yet one of the two follows the other`;
    },
    repair: "end the follow",
    mend: () => reconcileBlock(exam.ctx, { blocker: one, blocked: other }),
  });
}
