import type { Ctx } from "../../../src/context.ts";
import { checkDoctor } from "./doctor.ts";
import { checkEdits } from "./edits.ts";
import { checkFacts } from "./facts.ts";
import { deadLetters, password, untilIdle } from "./inside.ts";
import type { Lab } from "./lab.ts";
import { inLanes } from "./lanes.ts";
import type { Sent } from "./ledger.ts";
import type { Load } from "./load.ts";
import { readToEnd, type Shown, tweetsOn } from "./pages.ts";
import { storedTweets } from "./stored.ts";
import type { User } from "./user.ts";

const lanes = 6;

export interface VerdictOptions {
  /** What REDIS_URL says, for the doctor. */
  redisUrl: string;
  /** Where the site keeps its files. */
  settings?: Record<string, string>;
  /** Whether the drill itself looks after a tweet, which is not in lists of the load. */
  isChecked?(text: string): boolean;
  /** Seconds that the jobs get to be done. */
  patience?: number;
}

/**
 * After the fault: every acknowledged item is there exactly once, in its author's list and at the
 * homes of those who follow; what was not acknowledged is there whole or not at all.
 */
export async function checkAll(
  lab: Lab,
  ctx: Ctx,
  load: Load,
  { redisUrl, settings, isChecked, patience = 60 }: VerdictOptions,
): Promise<void> {
  const { report } = lab;
  const idle = await untilIdle(ctx, patience * 1000);
  report.notes.push(`jobs done ${(idle / 1000).toFixed(1)} s later`);
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
  await inLanes(load.users, lanes, signedIn);
  const profiles = await readAll(load, ({ person }) => `/@${person.name}/replies`);
  const homes = await readAll(load, () => "/");
  checkTweets(lab, load, profiles, homes);
  await checkHalves(lab, ctx, profiles, isChecked);
  await checkEdits(lab, ctx, load.ledger.tweets);
  await checkFacts(lab, load, profiles);
  await checkSignUps(lab, load);
  await checkDoctor(lab, redisUrl, settings);
}

/** A session that a failover lost shows only when it is used. */
async function signedIn(user: User): Promise<void> {
  await user.browser.get("/");
  if (user.browser.viewer === undefined) await user.logIn();
}

export type Lists = ReadonlyMap<string, Shown[]>;

async function readAll({ users }: Load, path: (user: User) => string): Promise<Lists> {
  const pairs = await inLanes(users, lanes, async (user): Promise<[string, Shown[]]> => {
    return [user.person.name, await readToEnd(user.browser, path(user), tweetsOn)];
  });
  return new Map(pairs);
}

function checkTweets({ report }: Lab, load: Load, profiles: Lists, homes: Lists): void {
  for (const [name, items] of [...profiles, ...homes]) {
    const twice = items.length - new Set(items.map(({ id }) => id)).size;
    report.expect(twice === 0, "a list shows an item twice", `@${name}`);
  }
  for (const tweet of load.ledger.tweets.values()) {
    const shown = (list: Shown[] | undefined) =>
      (list ?? []).filter(({ text, isRetweet }) => text === tweet.text && !isRetweet).length;
    const count = shown(profiles.get(tweet.author));
    if (count > 1) report.isTwice(tweet, count - 1);
    const { sentAt, acknowledgedAt, deletedAt, deleted } = tweet;
    const isThere = (profiles.get(tweet.author) ?? []).some((one) => one.id === deleted);
    if (typeof deletedAt === "number" && isThere) {
      report.isLost(deletedAt, "a deleted tweet is there", tweet.text);
    }
    if (acknowledgedAt !== undefined && deletedAt === undefined && count === 0) {
      report.isLost(acknowledgedAt, "an acknowledged tweet is lost", tweet.text, sentAt);
    }
    for (const reader of load.people.filter((person) => concerns(tweet, person))) {
      const atHome = shown(homes.get(reader.name));
      if (atHome !== count)
        report.problem(
          count > 0 ? "a tweet is missing at home" : "a tweet is at home and nowhere else",
          `${tweet.text}, ${atHome} times at @${reader.name}`,
        );
    }
  }
}

/** Whether it belongs to the reader's home: of a reply both authors do. */
function concerns(
  { author, replyTo }: Sent,
  { name, follows }: { name: string; follows: string[] },
) {
  const knows = (other: string) => other === name || follows.includes(other);
  return author === name || (knows(author) && (replyTo === undefined || knows(replyTo.author)));
}

/** What is stored and in no list is half a tweet. */
async function checkHalves(
  { report }: Lab,
  ctx: Ctx,
  profiles: Lists,
  isChecked: (text: string) => boolean = () => false,
): Promise<void> {
  const listed = new Set(
    [...profiles.values()].flatMap((items) => items.map(({ tweet }) => tweet)),
  );
  for (const { id, text } of await storedTweets(ctx))
    report.expect(
      listed.has(id) || text === "" || isChecked(text),
      "half a tweet",
      `${id}: ${text}`,
    );
}

/** A new user whose sign-up was acknowledged can log in; one whose was not can, or is not there. */
async function checkSignUps({ report }: Lab, load: Load): Promise<void> {
  for (const [nth, [name, acknowledgedAt]] of [...load.ledger.signUps].entries()) {
    const browser = load.browser(70_000 + nth);
    const entered = await browser.logIn(name, password);
    if (acknowledgedAt !== undefined && !entered) {
      report.isLost(acknowledgedAt, "an acknowledged user cannot log in", name);
    }
    const { status } = await browser.get(`/@${name}`);
    report.expect((status === 200) === entered, "half a user", `${name}: ${status}`);
    browser.close();
  }
}
