import { inBatches } from "../../src/domain/concurrency-limit.ts";
import { type UserId, tweetId, stampAt } from "../../src/domain/ids.ts";
import { serializeAction } from "../../src/domain/notifications/store.ts";
import { indexPerson } from "../../src/domain/search/index-person.ts";
import { rebuildHome } from "../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../src/domain/timelines/store.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { migrate } from "../../src/migrations/migrate.ts";
import { type Command, exec } from "../../src/redis/exec.ts";
import { keys, mostOf } from "../../src/redis/keys.ts";
import { each, type Lab, password } from "../bench/lab.ts";
import { day } from "./rhythm.ts";
import { isActive, type Town } from "./town.ts";

const commandsAtOnce = 500;
/** Entries of a list in a command: a call with a hundred thousand arguments does not fit on the stack. */
const entriesAtOnce = 1000;

/**
 * The site as it is before the day: accounts that are found, follows with their notifications, a tweet of each active
 * person in the last three days, and their home timelines. Idle people have none. Accounts, tweets and homes are made by
 * the functions of the site; follows are written as the verb leaves them, as a million of verbs would take ten minutes.
 * The data has the newest version from the beginning, so no process upgrades it during the day.
 */
export async function settle(
  lab: Lab,
  town: Town,
  start: number,
  texts: string[],
): Promise<UserId[]> {
  await migrate(lab.ctx);
  const past: Lab = { ...lab, ctx: { ...lab.ctx, now: () => start - 60 * day } };
  const ids = await makeAccounts(past, town.people);
  await writeFollows(lab, town, ids, start - 50 * day);
  const active = ids.filter((_, person) => isActive(person));
  await each(lab, "earlier tweets", active.length, async (nth) => {
    const author = active[nth] as UserId;
    const id = tweetId(await lab.ctx.redis.incr(keys.tweetIds));
    const stamp = stampAt(start - 3 * day + (nth / active.length) * 2.9 * day, id);
    const text = texts[nth % texts.length] ?? "";
    await createTweet(lab.ctx, { id, author, text, createdAt: stamp });
    await addToTimelines(lab.ctx, { tweet: id, author, stamp });
  });
  await each(lab, "home timelines", active.length, (nth) =>
    rebuildHome(lab.ctx, active[nth] as UserId),
  );
  return ids;
}

async function makeAccounts(lab: Lab, people: number): Promise<UserId[]> {
  const pass = await hashPassword(password, lab.ctx.config.bcryptCost);
  const ids: UserId[] = [];
  await each(lab, "people", people, async (nth) => {
    const person = { name: `person_${nth}`, fullname: `Bench Person ${nth}`, pass };
    const id = await createUser(lab.ctx, person);
    await indexPerson(lab.ctx, id);
    ids[nth] = id;
  });
  return ids;
}

/** The keys that `follow` writes, in the order of the people: a millisecond between two follows. */
export async function writeFollows(
  lab: Lab,
  { followings }: Town,
  ids: UserId[],
  since: number,
): Promise<void> {
  const followers = ids.map((): (string | number)[] => []);
  const commands: Command[] = [];
  let moment = since;
  for (const [person, chosen] of followings.entries()) {
    const follower = ids[person] as UserId;
    const entries: (string | number)[] = [];
    for (const other of chosen) {
      const followee = ids[other] as UserId;
      const stamp = stampAt((moment += 1), followee);
      entries.push(stamp, followee);
      followers[other]?.push(stamp, follower);
    }
    commands.push(...additions(keys.followings(follower), entries));
  }
  const kept = 2 * mostOf("notifications");
  for (const [person, entries] of followers.entries()) {
    const followee = ids[person] as UserId;
    commands.push(...additions(keys.followers(followee), entries));
    const notices = entries
      .slice(-kept)
      .map((entry, at) =>
        at % 2 === 0 ? entry : serializeAction({ kind: "follow", actor: entry as UserId }),
      );
    commands.push(...additions(keys.notifications(followee), notices));
  }
  for (const some of inBatches(commands, commandsAtOnce)) await exec(lab.ctx.redis, some);
}

/** Commands that add stamps, each with its member, to a list. */
function additions(key: string, entries: (string | number)[]): Command[] {
  const parts = [...inBatches(entries, 2 * entriesAtOnce)];
  return parts.map((some): Command => ["zadd", key, ...some]);
}
