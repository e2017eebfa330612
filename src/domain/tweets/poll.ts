import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { refuseBlocked } from "../blocks.ts";
import { Invalid, type Problem } from "../errors.ts";
import type { Viewer } from "../graph/relations.ts";
import { type TweetId, type UserId, userId, type Stamp } from "../ids.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";

/** What a tweet asks. */
export interface Poll {
  choices: readonly string[];
  /** Milliseconds since 1970. */
  ends: number;
  /** Whether a voter may choose several. */
  several?: boolean | undefined;
  /** Whether voters too see no numbers before the end. */
  secret?: boolean | undefined;
  /** The last numbers of a poll that was held elsewhere: here nobody votes in it. */
  elsewhere?: Pick<Tally, "counts" | "voters"> | undefined;
}

/** A poll as its author asks for it: how long it is open instead of its end. */
export interface NewPoll extends Pick<Poll, "choices" | "several" | "secret"> {
  seconds: number;
}

/** A tweet, as far as a poll goes. */
interface Asking {
  id: TweetId;
  poll?: Poll | undefined;
}

/** The numbers of a poll. */
export interface Tally {
  /** Votes for each choice. */
  counts: readonly number[];
  voters: number;
  /** What the viewer chose; undefined without a vote. */
  own: readonly number[] | undefined;
}

/** How long a poll may be open, as forms offer it; in seconds. Apps may choose any time in between. */
export const pollSeconds = [300, 1800, 3600, 21_600, 86_400, 259_200, 604_800] as const;
const [shortest, longest] = [pollSeconds[0], pollSeconds[6]];
export const choicesAtMost = 4;
/** Max graphemes of a choice. */
export const choiceLimit = 50;

/** Fields of the numbers beside those of the votes. */
export const numberFields = ["voters", "n0", "n1", "n2", "n3"] as const;

/** The poll as it will be stored. Throws Invalid beside `poll`. */
export async function acceptPoll(ctx: Ctx, typed: NewPoll, pictures: number) {
  const choices = cleanChoices(typed.choices);
  if (choices.length < 2) refuse("poll.few");
  if (choices.length > choicesAtMost) refuse("poll.many");
  if (new Set(choices.map((one) => one.toLowerCase())).size < choices.length) refuse("poll.same");
  const isWhole = Number.isInteger(typed.seconds);
  if (!isWhole || typed.seconds < shortest || typed.seconds > longest) refuse("poll.time");
  if (pictures > 0) refuse("poll.pictures");
  await refuseBlocked(ctx, { poll: choices.join("\n") });
  return { ...typed, choices };
}

function refuse(problem: Problem): never {
  throw new Invalid({ poll: problem });
}

/** Number of a choice as forms and apps spell it; NaN for all else, such as an empty text. */
export function choiceNumber(raw: string): number {
  return /^\d$/.test(raw) ? Number(raw) : Number.NaN;
}

/** Choices without the empty ones. Throws Invalid beside `poll` if one is too long. */
export function cleanChoices(typed: readonly string[]): string[] {
  const choices = typed.map(cleanLine).filter((one) => !isBlank(one));
  if (choices.some((one) => !fitsGraphemes(one, choiceLimit))) refuse("poll.long");
  return choices;
}

/** The poll of a tweet that is posted at the stamp `at`. */
export function openPoll({ choices, seconds, several, secret }: NewPoll, at: Stamp): Poll {
  return { choices, ends: Math.floor(at / 1000) + seconds * 1000, several, secret };
}

export function isOver({ ends, elsewhere }: Poll, now: number): boolean {
  return elsewhere !== undefined || now >= ends;
}

/** Whether a viewer sees the numbers: authors always, voters unless it is secret, all others at the end. */
export function showsNumbers(
  poll: Poll,
  { own }: Tally,
  { isAuthor, now }: { isAuthor: boolean; now: number },
): boolean {
  return isAuthor || isOver(poll, now) || (own !== undefined && poll.secret !== true);
}

/** The numbers of those of the tweets that have a poll, in one round trip or none. */
export async function readTallies(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: readonly Asking[],
): Promise<Map<TweetId, Tally>> {
  const polls = tweets.flatMap(({ id, poll }) => (poll === undefined ? [] : { id, poll }));
  const replies = await exec(
    ctx.redis,
    // No user has the id 0.
    polls.map(({ id }) => ["hmget", keys.tweetVotes(id), ...numberFields, viewer?.id ?? "0"]),
  );
  return new Map(
    polls.map(({ id, poll }, nth) => {
      const [voters, ...values] = replies[nth] as (string | null)[];
      const ownVote = values.pop();
      const counts = poll.choices.map((_, choice) => Number(values[choice]));
      const here = { counts, voters: Number(voters), own: ownVote?.split(",").map(Number) };
      return [id, poll.elsewhere ? { ...poll.elsewhere, own: undefined } : here];
    }),
  );
}

/** Whether a field of the votes is a user, and no number. */
export function isVoter(field: string): boolean {
  return /^\d/.test(field);
}

/** Voters of a poll in one page. */
const votersAtOnce = 500;

/** One page of the voters, who may come twice. `cursor`: "0" for the first; `next` is undefined after the last. */
export async function votersFrom(ctx: Ctx, tweet: TweetId, cursor: string) {
  const page = ["COUNT", votersAtOnce] as const;
  const [next, flat] = await ctx.redis.hscan(keys.tweetVotes(tweet), cursor, ...page);
  const voters = flat.filter((field, at) => at % 2 === 0 && isVoter(field)).map(userId);
  return { voters, next: next === "0" ? undefined : next };
}

/** Removes the vote of a user who leaves, or in a poll that is gone. May run twice. */
export async function takeBackVote(ctx: Ctx, user: UserId, tweet: TweetId): Promise<void> {
  await ctx.redis.setVote(keys.tweetVotes(tweet), user, "");
  await ctx.redis.zrem(keys.votes(user), tweet);
}

/** Lists a poll under its end. May run twice. */
export async function listPoll(ctx: Ctx, { id, poll }: Asking): Promise<void> {
  if (poll !== undefined && poll.elsewhere === undefined)
    await ctx.redis.zadd(keys.endingPolls, poll.ends, id);
}
