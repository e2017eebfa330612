import { setImmediate as breathe } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { Conflict } from "../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { findUserByName } from "../../src/domain/users/store.ts";
import { demoText } from "./texts.ts";

export const demoPassword = "demo-sparrow";

export interface Wanted {
  users: number;
  tweets: number;
  /** Followings of each. */
  follows: number;
}

export type Progress = (label: string, total: number) => (done: number) => void;

/** Tweets are spread over this time, the last one ending now. */
const spreadMilliseconds = 14 * 24 * 60 * 60 * 1000;
/** So many verbs at once keep Redis busy and memory small. */
const atOnce = 64;
/** Demo people talk about so many of the newest tweets. */
const recentKept = 20;

/** Demo people, follows and tweets, made by the verbs that the site itself uses. Returns the names. */
export async function seedDemo(ctx: Ctx, wanted: Wanted, progress: Progress): Promise<string[]> {
  const people = await seedPeople(ctx, wanted.users, progress);
  const ids = people.map((person) => person.id);
  const follows = Math.min(wanted.follows, Math.max(0, ids.length - 1));
  await each("follows", ids.length * follows, progress, async (nth) => {
    const follower = pick(ids, Math.floor(nth / follows));
    // Neighbours in a ring, so that everybody is followed by as many.
    const followee = pick(ids, Math.floor(nth / follows) + 1 + (nth % follows));
    await follow(ctx, { follower, followee });
  });
  const recent: TweetId[] = [];
  const began = ctx.now() - spreadMilliseconds;
  await each("tweets", ids.length === 0 ? 0 : wanted.tweets, progress, async (nth) => {
    const moment = began + ((nth + 1) / wanted.tweets) * spreadMilliseconds;
    const author = pick(ids, Math.floor(Math.random() * ids.length));
    await converse({ ...ctx, now: () => Math.floor(moment) }, author, nth, recent);
  });
  return people.map((person) => person.name);
}

/** Of six tweets one answers a recent one, one is a retweet, and the others are liked later. */
async function converse(ctx: Ctx, author: UserId, nth: number, recent: TweetId[]): Promise<void> {
  const about = recent[(nth * 7) % Math.max(1, recent.length)];
  if (about !== undefined) await likeTweet(ctx, author, about);
  if (about !== undefined && nth % 6 === 5) {
    await retweet(ctx, author, about);
    return;
  }
  const replyTo = nth % 6 === 2 ? about : undefined;
  recent.push(await postTweet(ctx, author, { text: demoText(nth), replyTo }));
  if (recent.length > recentKept) recent.shift();
}

/** All with one password, hashed once: the real cost for each would take minutes. */
async function seedPeople(ctx: Ctx, count: number, progress: Progress) {
  const pass = await hashPassword(demoPassword, ctx.config.bcryptCost);
  const people: { id: UserId; name: string }[] = [];
  const taken = await firstFreeNumber(ctx);
  await each("people", count, progress, async (nth) => {
    const name = `demo_${taken + nth}`;
    const id = await createUser(ctx, { name, fullname: `Demo Person ${taken + nth}`, pass });
    await prepareHome(ctx, id, "new");
    people.push({ id, name });
  });
  return people;
}

/** A second seeding adds people rather than collide with the first one's. */
async function firstFreeNumber(ctx: Ctx): Promise<number> {
  let number = 1;
  while ((await findUserByName(ctx, `demo_${number}`)) !== undefined) number *= 2;
  return number;
}

async function each(
  label: string,
  total: number,
  progress: Progress,
  work: (nth: number) => Promise<void>,
): Promise<void> {
  const tell = progress(label, total);
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < total) {
      const nth = next;
      next += 1;
      await work(nth).catch(ignoreTaken);
      done += 1;
      if (done < total && done % 100 === 0) tell(done);
      await breathe();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  tell(total);
}

/** A demo name that somebody else has is skipped. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

function pick(ids: UserId[], index: number): UserId {
  const id = ids[index % ids.length];
  if (id === undefined) throw new RangeError("nobody to pick");
  return id;
}
