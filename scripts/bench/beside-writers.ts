import { setTimeout as sleep } from "node:timers/promises";
import { faultyNetwork } from "../../test/support/world/faulty-network.ts";
import { tweets, withHome } from "./home.ts";
import type { Lab } from "./lab.ts";
import { quantile, timePages } from "./load.ts";
import { startUnlimitedWeb } from "./site.ts";

/** Milliseconds by which each reply of Redis is late, as in another data centre. */
const late = 4;
const likesPerSecond = 200;
const pagesPerSecond = 50;
/** Round trips that writers may cost a reader. */
const allowed = 3;
const isFollowed = (_reader: number, author: number) => author % 2 === 0;

/**
 * p99 of home with Redis 4 ms away: beside 200 likes a second of tweets that are not on it, against a quiet site. The
 * processor has time for both, so that what is measured is waiting.
 */
export async function readersBesideWriters(lab: Lab) {
  return await withHome(lab, { readers: 10, follows: isFollowed }, async ({ cookies, authors }) => {
    const network = await faultyNetwork({ path: lab.socket });
    network.delay(late);
    const web = await startUnlimitedWeb(lab, { REDIS_URL: `redis://127.0.0.1:${network.port}` });
    const read = () =>
      paced(pagesPerSecond, lab.seconds(5), async (nth) => {
        let isDone = false;
        const once = () => isDone || !(isDone = true);
        return (await timePages(web.url, cookies[nth % cookies.length] ?? "", once))[0] ?? 0;
      });
    /** Of and by authors whom no reader follows; each like is taken back by the next one. */
    const write = () =>
      paced(likesPerSecond, lab.seconds(5), async (nth) => {
        const author = 1 + 2 * (Math.floor(nth / 2) % (tweets / 2));
        // The first ids of a new site.
        const path = `/tweets/${author + 1}/${nth % 2 === 0 ? "like" : "unlike"}`;
        const headers = { cookie: authors[author] ?? "" };
        const answer = await fetch(web.url + path, { method: "POST", headers, redirect: "manual" });
        if (answer.status !== 303) throw new Error(`${path} answered ${answer.status}`);
        return 0;
      });
    try {
      await read();
      const quiet = await read();
      const [beside] = await Promise.all([read(), write()]);
      const limit = quantile(quiet, 0.99) + allowed * late;
      return {
        ours: quantile(beside, 0.99),
        limit,
        ratio: quantile(beside, 0.99) / limit,
        target: 1,
        unit: `ms p99, beside writers : quiet and ${allowed} round trips`,
        quietP50: quantile(quiet, 0.5),
        quietP99: quantile(quiet, 0.99),
        besideP50: quantile(beside, 0.5),
      };
    } finally {
      await web.stop();
      await network.close();
    }
  });
}

/** Begins `work` so often a second, whether those before have ended or not; resolves to all results. */
async function paced<Result>(
  perSecond: number,
  seconds: number,
  work: (nth: number) => Promise<Result>,
): Promise<Result[]> {
  const under: Promise<Result>[] = [];
  const began = performance.now();
  for (let nth = 0; nth < perSecond * seconds; nth += 1) {
    const one = work(nth);
    // Awaited below: without a handler by then, an early failure would end all parts of the bench.
    one.catch(() => {});
    under.push(one);
    await sleep(began + ((nth + 1) * 1000) / perSecond - performance.now());
  }
  return await Promise.all(under);
}
