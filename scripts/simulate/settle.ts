import { type UserId, tweetId, stampAt } from "../../src/domain/ids.ts";
import { serializeAction } from "../../src/domain/notifications/store.ts";
import { rebuildHome } from "../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../src/domain/timelines/store.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { type Command, exec } from "../../src/redis/exec.ts";
import { keys, mostOf } from "../../src/redis/keys.ts";
import { each, type Lab, makePeople } from "../bench/lab.ts";
import { day } from "./rhythm.ts";
import { isActive, type Town } from "./town.ts";

const commandsAtOnce = 500;

/**
 * The site as it is before the day: accounts, follows with their notifications, a tweet of each active person in the last
 * three days, and their home timelines. Idle people have none. Accounts, tweets and homes are made by the functions of
 * the site; follows are written as the verb leaves them, as a million of verbs would take ten minutes.
 */
export async function settle(
  lab: Lab,
  town: Town,
  start: number,
  texts: string[],
): Promise<UserId[]> {
  const past: Lab = { ...lab, ctx: { ...lab.ctx, now: () => start - 60 * day } };
  const ids = await makePeople(past, "person", town.people);
  const idle = ids.filter((_, person) => !isActive(person));
  await inBatches(
    lab,
    idle.map((id) => ["del", keys.homeTimeline(id)]),
  );
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
    if (entries.length > 0) commands.push(["zadd", keys.followings(follower), ...entries]);
  }
  const kept = 2 * mostOf("notifications");
  for (const [person, entries] of followers.entries()) {
    if (entries.length === 0) continue;
    const followee = ids[person] as UserId;
    commands.push(["zadd", keys.followers(followee), ...entries]);
    const notices = entries
      .slice(-kept)
      .map((entry, at) =>
        at % 2 === 0 ? entry : serializeAction({ kind: "follow", actor: entry as UserId }),
      );
    commands.push(["zadd", keys.notifications(followee), ...notices]);
  }
  await inBatches(lab, commands);
}

async function inBatches({ ctx }: Lab, commands: Command[]): Promise<void> {
  for (let first = 0; first < commands.length; first += commandsAtOnce)
    await exec(ctx.redis, commands.slice(first, first + commandsAtOnce));
}
