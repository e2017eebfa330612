import { type UserId, userId } from "../domain/ids.ts";
import { firstCharacterOf, indexPerson, peopleEntries } from "../domain/search/index-person.ts";
import { keys } from "../redis/keys.ts";
import { type Exam, keyCheck } from "./exam.ts";

/** The search finds each user by their current names. */
export const peopleIndex = keyCheck({
  of: ["user"],
  // Each takes several commands of its own.
  atOnce: 100,
  async read(exam, items) {
    const stateOf = await exam.facts.users(items.map(({ owner }) => owner));
    return await Promise.all(
      items.map(async (item) => {
        const user = userId(item.owner);
        return { ...item, user, state: stateOf(user), isRight: await isIndexed(exam, user) };
      }),
    );
  },
  place: ({ user }) => ({ key: keys.indexedPerson(user) }),
  jobs: ({ user }) => [`index-person ${user}`, `erase ${user}`, "index-older"],
  faults: {
    "people-index": {
      detail: ({ user, state, isRight }) =>
        !isRight &&
        state !== "leaving" &&
        state !== "coming" &&
        `the search does not agree with user ${user}`,
      repair: "index the user again",
      mend: ({ ctx }, { user }) => indexPerson(ctx, user),
    },
  },
});

async function isIndexed({ ctx }: Exam, user: UserId): Promise<boolean> {
  const [wanted, memo] = await Promise.all([
    peopleEntries(ctx, user),
    ctx.redis.get(keys.indexedPerson(user)),
  ]);
  if ((memo ?? "") !== wanted.join("\n")) return false;
  const scores = await Promise.all(
    wanted.map((entry) => ctx.redis.zscore(keys.searchPeople(firstCharacterOf(entry)), entry)),
  );
  return scores.every((score) => score !== null);
}

/** The lists of people's names have only current ones. */
export const peopleEntryLists = keyCheck({
  of: ["searchPeople"],
  each: "member",
  async read(exam, members) {
    const entries = members.map((member) => {
      const { id: entry } = member;
      return { ...member, user: userId(entry.slice(entry.lastIndexOf(" ") + 1)) };
    });
    const found = await exam.ask(entries, ({ user }) => ({
      memo: ["get", keys.indexedPerson(user)],
    }));
    return await Promise.all(
      found.map(async (one) => {
        const isKnown = one.memo?.split("\n").includes(one.id) === true;
        return { ...one, isRight: isKnown || (await isWanted(exam, one)) };
      }),
    );
  },
  jobs: ({ user }) => [`index-person ${user}`, `erase ${user}`, "index-older"],
  faults: {
    "people-index": {
      detail: ({ id: entry, user, isRight }) =>
        !isRight && `has "${entry}", which is no name of user ${user}`,
      repair: "take it out",
      async mend(exam, one) {
        await exam.ctx.redis.zrem(one.key, one.id);
        // The user may just have got this name: the index is written after the name.
        if (await isWanted(exam, one)) await indexPerson(exam.ctx, one.user);
      },
    },
  },
});

async function isWanted({ ctx }: Exam, { user, id }: { user: UserId; id: string }) {
  return (await peopleEntries(ctx, user)).includes(id);
}
