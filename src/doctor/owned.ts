import { userId } from "../domain/ids.ts";
import { indexPerson } from "../domain/search/people.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { FoundKey, KeyName } from "./key-kinds.ts";

/** Data of a single user. Lists with another end have checks for both ends. */
const own: KeyName[] = [
  "avatar",
  "sessions",
  "mutes",
  "mutedWords",
  "notifications",
  "bookmarks",
  "tokens",
  "codes",
  "halfOpen",
  "passkeys",
  "totp",
  "totpSetup",
  "recoveryCodes",
  "resetLinks",
  "mailPending",
  "imported",
  "answers",
  "replies",
  "homeTimeline",
  "indexedPerson",
  "reportsBy",
];
/** Truths about a user: if one exists without an account, the account was lost. */
const truths: KeyName[] = ["userTimeline", "followings", "likes", "retweets", "blocks"];

/** A user who is gone has no data; an account that was lost is reported. */
export const ownedCheck: Check = {
  of: [...own, ...truths],
  async look(exam, found) {
    const stateOf = await exam.facts.users(found.map(({ parts }) => parts[0] ?? ""));
    for (const one of found) {
      const state = stateOf(one.parts[0] ?? "");
      if (state === "lost") suspectLost(exam, one);
      else if (state === "gone" && own.includes(one.name)) suspectLeft(exam, one);
    }
  },
};

function suspectLost(exam: Exam, { parts }: FoundKey): void {
  const id = userId(parts[0] ?? "");
  exam.suspect({
    kind: "user-lost",
    key: keys.user(id),
    jobs: [`erase ${id}`],
    async look() {
      const [state] = await exam.facts.readUsers([id]);
      return state === "lost" ? "there is no account, yet what it did is kept" : undefined;
    },
    repair: "",
  });
}

function suspectLeft(exam: Exam, { key, name, parts }: FoundKey): void {
  const id = userId(parts[0] ?? "");
  const { ctx } = exam;
  exam.suspect({
    kind: "left-behind",
    key,
    jobs: [`erase ${id}`, `index-person ${id}`],
    async look() {
      const [[state], exists] = await Promise.all([
        exam.facts.readUsers([id]),
        ctx.redis.exists(key),
      ]);
      return state === "gone" && exists === 1 ? `is kept, though user ${id} is gone` : undefined;
    },
    repair: "delete it",
    mend: () => (name === "indexedPerson" ? indexPerson(ctx, id) : ctx.redis.unlink(key)),
  });
}
