import { type UserId, userId } from "../domain/ids.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { foldName, isName } from "../domain/users/store.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { checkPins } from "./pins.ts";
import { checkDrafts, claimName } from "./sign-ups.ts";

const fields = [
  "name",
  "created_at",
  "pass",
  "deleted_at",
  "suspended_at",
  "avatar",
  "pinned",
] as const;

/** The stored fields of an account; undefined if missing. */
export interface Account extends Partial<Record<(typeof fields)[number], string>> {
  id: UserId;
}

/** Accounts are complete, have their names, and are in the lists that their fields imply. */
export const userCheck: Check = {
  of: ["user"],
  async look(exam, found) {
    const ids = found.map(({ parts }) => userId(parts[0] ?? ""));
    const accounts = await readAccounts(exam, ids);
    for (const { id, created_at: created, name } of accounts) {
      exam.maxIds.sawUser(id);
      if (created === undefined || name === undefined) suspectIncomplete(exam, id);
    }
    const settled = accounts.filter((one) => !exam.isYoung(Number(one.created_at ?? 0)));
    const there = settled.filter((one) => one.deleted_at === undefined);
    for (const one of settled) if (one.deleted_at !== undefined) suspectNotErased(exam, one);
    for (const one of there) if (one.pass === undefined) suspectIncomplete(exam, one.id);
    await checkLists(exam, there);
    await checkPins(exam, there);
    await checkDrafts(exam, ids);
  },
};

/** Those that exist and stay: an uncommitted sign-up expires. */
async function readAccounts(exam: Exam, ids: UserId[]): Promise<Account[]> {
  const replies = await exam.ask<unknown>(
    ids.flatMap((id): Command[] => [
      ["hmget", keys.user(id), ...fields],
      ["ttl", keys.user(id)],
    ]),
  );
  return ids.flatMap((id, index): Account[] => {
    if (replies[2 * index + 1] !== -1) return [];
    const values = replies[2 * index] as (string | null)[];
    const held = fields.flatMap((field, nth) => {
      const value = values[nth] ?? undefined;
      return value === undefined ? [] : [[field, value] as const];
    });
    return [{ id, ...Object.fromEntries(held) }];
  });
}

function suspectIncomplete(exam: Exam, id: UserId): void {
  exam.suspect({
    kind: "user-incomplete",
    key: keys.user(id),
    jobs: [`erase ${id}`],
    async look() {
      const [account] = await readAccounts(exam, [id]);
      if (account === undefined || account.deleted_at !== undefined) return undefined;
      const absent = (["name", "created_at", "pass"] as const).filter((one) => !account[one]);
      return absent.length === 0 ? undefined : `has no ${absent.join(", ")}`;
    },
    repair: "",
  });
}

/** A deletion without a job. */
function suspectNotErased(exam: Exam, { id }: Account): void {
  exam.suspect({
    kind: "user-not-erased",
    key: keys.user(id),
    jobs: [`erase ${id}`],
    async look() {
      const [account] = await readAccounts(exam, [id]);
      return account?.deleted_at === undefined ? undefined : "is deleted, and no job erases it";
    },
    repair: "promise the job again",
    mend: () => exam.ctx.jobs.workOnAccount({ task: "erase", user: id, pass: "first" }),
  });
}

type Fault = "user-name" | "user-suspended" | "user-avatar";

async function faultsOf(exam: Exam, accounts: Account[]): Promise<Set<Fault>[]> {
  const replies = await exam.ask<string | number | null>(
    accounts.flatMap(({ id, name = "" }): Command[] => [
      ["get", keys.username(foldName(name))],
      ["ttl", keys.username(foldName(name))],
      ["zscore", keys.suspended, id],
      ["exists", keys.avatar(id)],
    ]),
  );
  return accounts.map(({ id, name = "", suspended_at: suspended, avatar = "" }, index) => {
    const [holder, life, listed, pictures] = replies.slice(4 * index, 4 * index + 4);
    const faults = new Set<Fault>();
    if (isName(name) && (holder !== id || life !== -1)) faults.add("user-name");
    if ((suspended === undefined) !== (listed === null)) faults.add("user-suspended");
    if ((avatar === "") !== (pictures === 0)) faults.add("user-avatar");
    return faults;
  });
}

async function checkLists(exam: Exam, accounts: Account[]): Promise<void> {
  const faults = await faultsOf(exam, accounts);
  for (const [index, account] of accounts.entries())
    for (const fault of faults[index] ?? []) suspectFault(exam, account.id, fault);
}

const words: Record<Fault, { detail: string; repair: string }> = {
  "user-name": {
    detail: "its name does not lead to it for good",
    repair: "give it its name, if no other account has it",
  },
  "user-suspended": {
    detail: "its `suspended_at` and the list of suspended users differ",
    repair: "make the list agree with the account",
  },
  "user-avatar": {
    detail: "its `avatar` and the picture that is kept differ",
    repair: "make `avatar` agree with the picture",
  },
};

function suspectFault(exam: Exam, id: UserId, fault: Fault): void {
  exam.suspect({
    kind: fault,
    key: keys.user(id),
    jobs: [`erase ${id}`, ...(fault === "user-avatar" ? [`settle-avatar ${id}`] : [])],
    async look() {
      const accounts = await readAccounts(exam, [id]);
      if (accounts[0] === undefined || accounts[0].deleted_at !== undefined) return undefined;
      const [faults] = await faultsOf(exam, accounts);
      return faults?.has(fault) === true ? words[fault].detail : undefined;
    },
    repair: words[fault].repair,
    async mend() {
      const [account] = await readAccounts(exam, [id]);
      if (account !== undefined && account.deleted_at === undefined)
        await mendFault(exam, account, fault);
    },
  });
}

async function mendFault(exam: Exam, { id, ...account }: Account, fault: Fault): Promise<void> {
  const { ctx } = exam;
  if (fault === "user-avatar") {
    await reconcileAvatar(ctx, id);
  } else if (fault === "user-suspended") {
    const since = account.suspended_at;
    if (since === undefined) await ctx.redis.zrem(keys.suspended, id);
    else await ctx.redis.zadd(keys.suspended, "NX", since, id);
  } else {
    await claimName(exam, id, account.name ?? "");
  }
}
