import { userId } from "../domain/ids.ts";
import { firstCharacterOf, indexPerson, peopleEntries } from "../domain/search/index-person.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import { membersOf } from "./lists.ts";

/** Users checked at a time. */
const atOnce = 100;

/** The search finds each user by their current names only. */
export const peopleIndexChecks: Check[] = [
  {
    of: ["user"],
    async look(exam, found) {
      const ids = found.map(({ parts }) => userId(parts[0] ?? ""));
      for (let start = 0; start < ids.length; start += atOnce) {
        const some = ids.slice(start, start + atOnce);
        const faults = await Promise.all(some.map((id) => isIndexed(exam, id)));
        for (const [index, id] of some.entries())
          if (faults[index] === false) suspectPerson(exam, id);
      }
    },
  },
  {
    of: ["searchPeople"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found, "phrase")) {
        const ids = batch.map(({ id }) => userId(id.slice(id.lastIndexOf(" ") + 1)));
        const memos = await exam.ask<string | null>(
          ids.map((id) => ["get", keys.indexedPerson(id)]),
        );
        for (const [index, { of, id: entry }] of batch.entries()) {
          const id = ids[index];
          if (id === undefined || memos[index]?.split("\n").includes(entry) === true) continue;
          suspectEntry(exam, of.key, entry, id);
        }
      }
    },
  },
];

async function isIndexed({ ctx }: Exam, id: ReturnType<typeof userId>): Promise<boolean> {
  const [wanted, memo] = await Promise.all([
    peopleEntries(ctx, id),
    ctx.redis.get(keys.indexedPerson(id)),
  ]);
  if ((memo ?? "") !== wanted.join("\n")) return false;
  const scores = await Promise.all(
    wanted.map((entry) => ctx.redis.zscore(keys.searchPeople(firstCharacterOf(entry)), entry)),
  );
  return scores.every((score) => score !== null);
}

function suspectPerson(exam: Exam, id: ReturnType<typeof userId>): void {
  exam.suspect({
    kind: "people-index",
    key: keys.indexedPerson(id),
    jobs: [`index-person ${id}`, `erase ${id}`],
    async look() {
      const [state] = await exam.facts.readUsers([id]);
      if (state === "leaving" || state === "coming") return undefined;
      return (await isIndexed(exam, id)) ? undefined : `the search does not agree with user ${id}`;
    },
    repair: "index the user again",
    mend: () => indexPerson(exam.ctx, id),
  });
}

function suspectEntry(exam: Exam, key: string, entry: string, id: ReturnType<typeof userId>): void {
  const { ctx } = exam;
  const isWanted = async () => (await peopleEntries(ctx, id)).includes(entry);
  exam.suspect({
    kind: "people-index",
    key,
    member: entry,
    jobs: [`index-person ${id}`, `erase ${id}`],
    async look() {
      if ((await ctx.redis.zscore(key, entry)) === null || (await isWanted())) return undefined;
      return `has "${entry}", which is no name of user ${id}`;
    },
    repair: "take it out",
    async mend() {
      await ctx.redis.zrem(key, entry);
      // The user may just have got this name: the index is written after the name.
      if (await isWanted()) await indexPerson(ctx, id);
    },
  });
}
