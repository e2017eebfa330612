import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "./lab.ts";
import type { Load } from "./load.ts";
import { readToEnd, type Shown, tweetsOn } from "./pages.ts";
import type { User } from "./user.ts";

const patience = 60_000;
/** Milliseconds between the beginnings of two posts: what one waits for does not hide when the site is well. */
const postEvery = 250;

/** Milliseconds from the end of the fault. */
export interface Recovery {
  /** Until the site accepted a tweet. */
  written: number;
  /** Until that tweet was at the home of a follower. */
  delivered: number;
}

/**
 * Posts as a user of the load, again and again with one nonce, and looks as a follower. Posts overlap;
 * each has its answer in the end. Log-ins come one after the other.
 */
export async function untilWell(
  lab: Lab,
  load: Load,
  author: User | undefined = load.users[0],
): Promise<Recovery> {
  const began = performance.now();
  const took = () => performance.now() - began;
  const reader = load.users.find(({ person }) =>
    person.follows.includes(author?.person.name ?? ""),
  );
  if (author === undefined || reader === undefined) throw new Error("no follower in this load");
  const { name } = author.person;
  const text = load.ledger.freshText(name);
  const sent = load.ledger.sent(name, text);
  const nonce = randomUUID();
  const accepted: number[] = [];
  const post = async () => {
    const sentAt = Date.now();
    const { status, location } = await author.browser.post("/tweets", { text, nonce });
    if (status === 303 && !location.startsWith("/login")) accepted.push(took());
    else sent.failedTries.push({ sentAt, endedAt: Date.now() });
  };
  const posts: Promise<void>[] = [];
  let next = 0;
  await repeat(lab, 20, async () => {
    if (took() >= next) {
      next = took() + postEvery;
      if (author.browser.viewer === undefined) await author.logIn();
      if (author.browser.viewer !== undefined) posts.push(post());
    }
    return accepted.length > 0;
  });
  load.ledger.posted(sent);
  const hasIt = (items: Shown[]) => items.some((shown) => shown.text === text);
  await repeat(lab, 100, async () => {
    if (reader.browser.viewer === undefined) await reader.logIn();
    // After an outage so much may come at once that it is not on the first page for long.
    return hasIt(await readToEnd(reader.browser, "/", tweetsOn, hasIt).catch(() => []));
  });
  const delivered = took();
  await Promise.all(posts);
  return { written: Math.round(accepted[0] ?? delivered), delivered: Math.round(delivered) };
}

async function repeat(lab: Lab, pause: number, tryIt: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await tryIt())) {
    if (performance.now() - began > patience)
      throw new Error(`the site was not well again after ${patience / 1000} s`);
    await sleep(pause, undefined, { signal: lab.ended });
  }
}
