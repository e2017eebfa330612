import { setImmediate as othersTurn } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { editTweet } from "../../src/domain/actions/edit-tweet.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../src/domain/actions/retweet.ts";
import { Conflict } from "../../src/domain/errors.ts";
import type { TweetId, UserId } from "../../src/domain/ids.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { changeAvatar } from "../../src/domain/users/avatars.ts";
import { hashPassword } from "../../src/domain/users/passwords.ts";
import { editProfile } from "../../src/domain/users/settings.ts";
import { createUser } from "../../src/domain/users/sign-up.ts";
import { findUser, findUserByName } from "../../src/domain/users/store.ts";
import { castSize, demoPerson } from "./people.ts";
import { portrait } from "./portraits.ts";
import { DrawnSketches } from "./drawn-sketches.ts";
import { type Line, lines, textOf } from "./talks.ts";

export const demoPassword = "demo-sparrow";

export interface Wanted {
  users: number;
  tweets: number;
  /** Followings of each user. */
  follows: number;
  /** Hours over which the tweets are spread; the last one is of now. */
  hours: number;
}

export type Progress = (label: string, total: number) => (done: number) => void;

/** Concurrent verbs: keeps Redis busy and memory small. */
const atOnce = 64;
/** Max pictures: drawing one takes as long as ten tweets. */
const picturesDrawn = 200;
const picturesAtOnce = 4;

interface DemoUser {
  id: UserId;
  name: string;
}

/** Demo users, follows and tweets, made by the verbs that the site itself uses. */
export async function seedDemo(
  ctx: Ctx,
  wanted: Wanted,
  progress: Progress,
): Promise<{ users: DemoUser[]; tweets: TweetId[] }> {
  const sketches = await DrawnSketches.of(ctx, lines);
  const users = await seedUsers(ctx, wanted.users, progress);
  const follows = Math.min(wanted.follows, Math.max(0, users.length - 1));
  await each("follows", users.length * follows, progress, async (nth) => {
    // Neighbours in a ring: each user has the same number of followers.
    const [user, place] = [Math.floor(nth / follows), nth % follows];
    const followee = at(users, user + 1 + place).id;
    await follow(ctx, { follower: at(users, user).id, followee });
  });
  const tweets = users.length === 0 ? [] : await seedTalks(ctx, users, sketches, wanted, progress);
  return { users, tweets };
}

/** All with one password, hashed once: the real cost for each would take minutes. */
async function seedUsers(ctx: Ctx, count: number, progress: Progress): Promise<DemoUser[]> {
  const pass = await hashPassword(demoPassword, ctx.config.bcryptCost);
  const first = await firstFree(ctx);
  const users: DemoUser[] = [];
  const pictures = await Promise.all(
    Array.from({ length: Math.min(count, picturesDrawn) }, (_, nth) => portrait(first + nth)),
  );
  await each("people", count, progress, async (nth) => {
    const { name, fullname, bio } = demoPerson(first + nth);
    const id = await createUser(ctx, { name, fullname, pass });
    await prepareHome(ctx, id, "new");
    const user = await findUser(ctx, id);
    if (user !== undefined) await editProfile(ctx, user, { fullname, bio, website: "" });
    users[nth] = { id, name };
  });
  const inLanes = { lanes: picturesAtOnce };
  const drawn = async (nth: number) => {
    const [user, picture] = [users[nth], pictures[nth]];
    if (user !== undefined && picture !== undefined) await changeAvatar(ctx, user.id, picture);
  };
  await each("pictures", pictures.length, progress, drawn, inLanes);
  return users.filter((user) => user !== undefined);
}

/** A second seeding adds users instead of colliding with those of the first. */
async function firstFree(ctx: Ctx): Promise<number> {
  let first = 0;
  while ((await findUserByName(ctx, demoPerson(first).name)) !== undefined)
    first = Math.max(castSize, 2 * first);
  return first;
}

/** Returns the tweets in the order of the lines; the talks go round. */
async function seedTalks(
  ctx: Ctx,
  users: DemoUser[],
  sketches: DrawnSketches,
  { tweets, hours }: Wanted,
  progress: Progress,
): Promise<TweetId[]> {
  const spread = hours * 60 * 60 * 1000;
  const now = ctx.now();
  const made: Promise<TweetId>[] = [];
  const say = async (nth: number) => {
    const round = Math.floor(nth / lines.length);
    const line = lines[nth % lines.length] as Line;
    const speaker = (place: number) => at(users, place + round * castSize);
    const moment = Math.floor(now - spread + ((nth + 1) / tweets) * spread);
    const then = { ...ctx, now: () => moment };
    const wordsOf = (text: string) => textOf(text, round, (place) => speaker(place).name);
    const replyTo = line.to === undefined ? undefined : await made[round * lines.length + line.to];
    const author = speaker(line.by).id;
    const pictures = await sketches.uploadFor(line, round, author);
    const { warning, before } = line;
    const text = wordsOf(before ?? line.text);
    const id = await postTweet(then, author, { text, warning, replyTo, pictures });
    const soon = { ...ctx, now: () => moment + 2000 };
    const better = { text: wordsOf(line.text), warning, pictures, sensitive: false };
    if (before !== undefined) await editTweet(soon, author, id, better);
    await react(then, users, id, nth);
    return id;
  };
  // No tweet is older than one that was made before: so only few are made at once.
  const lanes = Math.min(atOnce, Math.ceil(tweets / 1000));
  await each("tweets", tweets, progress, (nth) => (made[nth] = say(nth)), { lanes });
  return await Promise.all(made);
}

/** None to six likes; one tweet in six is retweeted. */
async function react(ctx: Ctx, users: DemoUser[], tweet: TweetId, number: number): Promise<void> {
  for (let like = 0; like < (number * 5) % 7; like += 1)
    await likeTweet(ctx, at(users, number * 3 + like * 2).id, tweet);
  if (number % 6 === 5) await retweet(ctx, at(users, number * 7 + 3).id, tweet);
}

async function each(
  label: string,
  total: number,
  progress: Progress,
  work: (nth: number) => Promise<unknown>,
  { lanes = atOnce } = {},
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
      await othersTurn();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  tell(total);
}

/** A demo name that another user has is skipped. */
function ignoreTaken(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}

/** Goes round. */
function at(users: DemoUser[], index: number): DemoUser {
  return users[index % users.length] as DemoUser;
}
