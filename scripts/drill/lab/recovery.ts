import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Lab } from "./lab.ts";
import type { Load } from "./load.ts";
import type { User } from "./user.ts";

const patience = 60_000;

/** Milliseconds from the end of the fault. */
export interface Recovery {
  /** Until the site accepted a tweet. */
  written: number;
  /** Until that tweet was at the home of a follower. */
  delivered: number;
}

/** Posts as a user of the load, again and again with one nonce, and looks as a follower. */
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
  await repeat(lab, async () => {
    if (author.browser.viewer === undefined) await author.logIn();
    const { status, location } = await author.browser.post("/tweets", { text, nonce });
    return status === 303 && !location.startsWith("/login");
  });
  load.ledger.posted(sent);
  const written = took();
  await repeat(lab, async () => {
    if (reader.browser.viewer === undefined) await reader.logIn();
    return (await reader.browser.get("/")).body.includes(`${text}<`);
  });
  return { written: Math.round(written), delivered: Math.round(took()) };
}

async function repeat(lab: Lab, tryIt: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await tryIt())) {
    if (performance.now() - began > patience)
      throw new Error(`the site was not well again after ${patience / 1000} s`);
    await sleep(100, undefined, { signal: lab.ended });
  }
}
