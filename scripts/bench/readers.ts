import { setTimeout as sleep } from "node:timers/promises";
import { type Home, tweets, untilPage, withHome } from "./home.ts";
import type { Lab } from "./lab.ts";
import { asSent } from "./load.ts";
import { postTweet, startLimits, untilIdle } from "./site.ts";
import { Visitors } from "./visitors.ts";

const readerCount = 60;
const connections = 10;
/** Tweets a second of `readersMixed`; each reader follows three of five authors. */
const tweetsPerSecond = 10;
const followsSome = (reader: number, author: number) => (reader + author) % 5 < 3;

/** Home pages a second, if all readers find a new tweet at each visit. Posting and delivering is not in the time. */
export async function readers(lab: Lab) {
  return await withHome(lab, { readers: readerCount }, async (home) => {
    const news = async (round: number) => {
      const text = `Bench news ${round} for all.`;
      await postTweet(home.web, home.authors[round % tweets] ?? "", text);
      await untilIdle(lab);
      await untilPage(home.web.url, home.cookies[0] ?? "", (page) => page.includes(text));
    };
    return { ...(await compare(lab, home, news)), target: 0.2 };
  });
}

/** The same while people tweet, as many as read: some visits find something new, others do not. */
export async function readersMixed(lab: Lab) {
  return await withHome(lab, { readers: readerCount, follows: followsSome }, async (home) => {
    const over = new AbortController();
    const posting = (async () => {
      for (let nth = 0; !over.signal.aborted; nth += 1) {
        const due = sleep(1000 / tweetsPerSecond);
        await postTweet(home.web, home.authors[nth % tweets] ?? "", `Bench tweet again ${nth}.`);
        await due;
      }
    })();
    const compared = await compare(lab, home, async () => {}).finally(() => over.abort());
    await posting;
    return { ...compared, target: 0.3 };
  });
}

/** `before` runs before each round of visits and is not measured. */
async function compare(lab: Lab, { web, cookies }: Home, before: (round: number) => Promise<void>) {
  const limits = await startLimits(lab, await asSent(web.url, { cookie: cookies[0] ?? "" }));
  try {
    const measure = async (url: string, path: string, wait: (round: number) => Promise<void>) => {
      const visitors = new Visitors(url, connections);
      await timeVisits(visitors, path, cookies, { seconds: lab.seconds(2), wait });
      const timed = await timeVisits(visitors, path, cookies, { seconds: lab.seconds(5), wait });
      await visitors.leave();
      return timed;
    };
    const ours = await measure(web.url, "/", before);
    const fixed = await measure(limits.url, "/fixed", async () => {});
    return {
      ours: ours.rate,
      limit: fixed.rate,
      ratio: ours.rate / fixed.rate,
      unit: "pages/s",
      bytes: ours.bytes,
      encoding: ours.encoding,
    };
  } finally {
    await limits.stop();
  }
}

let rounds = 0;

/** Rounds of visits until they have taken `seconds`, the waits before them apart. */
async function timeVisits(
  visitors: Visitors,
  path: string,
  cookies: string[],
  { seconds, wait }: { seconds: number; wait: (round: number) => Promise<void> },
) {
  let milliseconds = 0;
  let visits = 0;
  let bytes = 0;
  let encoding = "";
  while (milliseconds < seconds * 1000) {
    await wait((rounds += 1));
    const began = performance.now();
    const answers = await visitors.visit(path, cookies);
    milliseconds += performance.now() - began;
    visits += answers.length;
    bytes += answers.reduce((sum, { body }) => sum + body.length, 0);
    encoding = answers[0]?.encoding ?? "";
  }
  return { rate: visits / (milliseconds / 1000), bytes: Math.round(bytes / visits), encoding };
}
