import { keys } from "../../src/redis/keys.ts";
import { type UserId, userId, stampAt } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { fillHome } from "../../src/domain/timelines/home-store.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { kept } from "./kept.ts";
import { each, type Lab, makePeople } from "./lab.ts";

/** The followers that OPENREC.tv's fan-out figure is about. */
export const openrecFollowers = 210_000;

export interface Followed {
  author: UserId;
  followers: UserId[];
}

/**
 * An author whose followers' home timelines are in use: of 100 followers 13 have a full one, 27
 * have 50 entries, and 60 have 10. The entries stand for tweets of the last weeks.
 */
export async function makeFollowed(lab: Lab): Promise<Followed> {
  await kept(lab, "followed", () => make(lab));
  const { id: author } = await getUserByName(lab.ctx, "author_0");
  const followers = await lab.ctx.redis.zrange(keys.followers(author), 0, "-1");
  return { author, followers: followers.map(userId) };
}

async function make(lab: Lab): Promise<void> {
  const [author] = await makePeople(lab, "author", 1);
  if (author === undefined) throw new Error("nobody writes");
  const followers = await makePeople(lab, "fan", Math.round(openrecFollowers * lab.scale));
  await each(lab, "follows", followers.length, async (nth) => {
    const follower = followers[nth];
    if (follower !== undefined) await follow(lab.ctx, { follower, followee: author });
  });
  const full = lab.ctx.config.timelineCap - 1;
  await each(lab, "home timelines", followers.length, async (nth) => {
    const follower = followers[nth];
    if (follower === undefined) return;
    const entries = oldEntries(lengthOf(nth, full));
    await fillHome(lab.ctx, follower, { whose: "all", entries, floor: 0 });
  });
}

function lengthOf(nth: number, full: number): number {
  const share = (nth * 37) % 100;
  if (share < 13) return full;
  return share < 40 ? 50 : 10;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Ids far above any real one, spread over four weeks that ended yesterday. */
function oldEntries(count: number) {
  const start = Date.now() - 29 * dayMilliseconds;
  return Array.from({ length: count }, (_, index) => {
    const id = String(900_000_000 + Math.floor(Math.random() * 99_000_000));
    const moment = start + (28 * dayMilliseconds * (index + 1)) / count;
    return { id, stamp: stampAt(moment, id) };
  });
}

/** Of `followers`, how many have the newest tweet of their home timeline from `tweet`. */
export async function countReached(lab: Lab, followers: UserId[], tweet: string): Promise<number> {
  let reached = 0;
  for (let first = 0; first < followers.length; first += 5000) {
    const batch = lab.ctx.redis.pipeline();
    for (const id of followers.slice(first, first + 5000))
      batch.zscore(keys.homeTimeline(id), tweet);
    const replies = (await batch.exec()) ?? [];
    reached += replies.filter(([error, score]) => error === null && score !== null).length;
  }
  return reached;
}
