import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../../src/domain/actions/follow.ts";
import { againstFixed, type Compared } from "./against.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { sessionOf } from "./session.ts";
import { postTweet, type Running, startUnlimitedWeb, startWorker, untilIdle } from "./site.ts";

/** On the page: the newest of each author. */
export const tweets = 50;
/** Milliseconds between tweets of the authors that the reader follows. */
const changeMilliseconds = 50;

/** The signed-in home page of 50 tweets from 50 authors that nothing happens to, as a browser asks for it. */
export async function homeUnchanged(lab: Lab) {
  return await withHome(lab, { readers: 1 }, async ({ web, cookies: [cookie] }) => {
    return { ...figures(await againstFixed(lab, web.url, { cookie })), target: 0.75 };
  });
}

/** The same while one of the authors tweets 20 times a second. */
export async function homeChanging(lab: Lab) {
  return await withHome(lab, { readers: 1 }, async ({ web, cookies: [cookie], authors }) => {
    let posted = 0;
    const meanwhile = async (ending: AbortSignal) => {
      while (!ending.aborted) {
        const due = sleep(changeMilliseconds);
        await postTweet(web, authors[posted % tweets] ?? "", `Bench tweet again ${posted}.`);
        posted += 1;
        await due;
      }
    };
    const compared = await againstFixed(lab, web.url, { cookie }, meanwhile);
    return { ...figures(compared), target: 0.5, posted };
  });
}

function figures({ ours, fixed, encoding }: Compared) {
  return {
    ours: ours.rate,
    limit: fixed.rate,
    ratio: ours.rate / fixed.rate,
    unit: "pages/s",
    p50: ours.p50,
    p99: ours.p99,
    bytes: Math.round(ours.bytes),
    encoding,
  };
}

export interface Home {
  web: Running;
  /** The readers' cookies. */
  cookies: [string, ...string[]];
  followers: UserId[];
  /** The authors' cookies. */
  authors: string[];
}

/** A site of 50 authors with a tweet each, and readers who follow all of them, or those that `follows` says. */
export async function withHome<Result>(
  lab: Lab,
  {
    readers,
    follows = () => true,
  }: { readers: number; follows?: (reader: number, author: number) => boolean },
  measure: (home: Home) => Promise<Result>,
): Promise<Result> {
  await lab.clear();
  const followees = await makePeople(lab, "author", tweets);
  const followers = await makePeople(lab, "reader", readers);
  await each(lab, "follows", readers, async (reader) => {
    for (const [author, followee] of followees.entries())
      if (follows(reader, author))
        await follow(lab.ctx, { follower: followers[reader] as UserId, followee });
  });
  const web = await startUnlimitedWeb(lab);
  const worker = await startWorker(lab);
  try {
    const authors: string[] = [];
    for (let nth = 0; nth < tweets; nth += 1) {
      const author = await sessionOf(lab, followees[nth] as UserId);
      const words = "a sparrow sat on the wire and thought of bread.";
      await postTweet(web, author, `Bench tweet ${nth}: ${words}`);
      authors.push(author);
    }
    const sessions = await Promise.all(followers.map((follower) => sessionOf(lab, follower)));
    const cookies = sessions as Home["cookies"];
    await untilIdle(lab);
    const listed = followees.filter((_, author) => follows(0, author)).length;
    await untilPage(web.url, cookies[0], (page) => page.split("data-tweet-id").length > listed);
    return await measure({ web, cookies, followers, authors });
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/** Asks for home until it is as wanted. */
export async function untilPage(
  url: string,
  cookie: string,
  isWanted: (page: string) => boolean,
): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const answer = await fetch(url, { headers: { cookie } });
    if (isWanted(await answer.text())) return;
    await sleep(10);
  }
  throw new Error("the home page never had what was awaited");
}
