import { setTimeout as sleep } from "node:timers/promises";
import { faultyNetwork } from "../../test/support/world/faulty-network.ts";
import { tweets, withHome } from "./home.ts";
import type { Lab } from "./lab.ts";
import { after, quantile, timePages } from "./load.ts";
import { startUnlimitedWeb } from "./site.ts";

/** Milliseconds by which each reply of Redis is late, as in another data centre. */
const late = 4;
const likesPerSecond = 200;
const readerCount = 10;
/** Round trips that writers may cost a reader. */
const allowed = 3;

/** p99 of home, ten readers, with Redis 4 ms away: beside 200 likes a second of others, against a quiet site. */
export async function readersBesideWriters(lab: Lab) {
  return await withHome(lab, { readers: readerCount }, async ({ cookies, authors }) => {
    const network = await faultyNetwork({ path: lab.socket });
    network.delay(late);
    const web = await startUnlimitedWeb(lab, { REDIS_URL: `redis://127.0.0.1:${network.port}` });
    try {
      const read = async () => {
        const pages = cookies.map((cookie) =>
          timePages(web.url, cookie, after(lab.seconds(5) * 1000)),
        );
        return (await Promise.all(pages)).flat();
      };
      await read();
      const quiet = await read();
      let isOver = false;
      let likes = 0;
      const writing = (async () => {
        const open: Promise<unknown>[] = [];
        for (; !isOver; likes += 1) {
          const due = sleep(1000 / likesPerSecond);
          // The first ids of a new site.
          const tweet = 1 + (Math.floor(likes / 2) % tweets);
          const verb = likes % 2 === 0 ? "like" : "unlike";
          const headers = { cookie: authors[Math.floor(likes / 2) % authors.length] ?? "" };
          const like = { method: "POST", headers, redirect: "manual" } as const;
          open.push(fetch(`${web.url}/tweets/${tweet}/${verb}`, like));
          await due;
        }
        await Promise.all(open);
      })();
      const beside = await read().finally(() => (isOver = true));
      await writing;
      return {
        ours: quantile(beside, 0.99),
        limit: quantile(quiet, 0.99) + allowed * late,
        ratio: quantile(beside, 0.99) / (quantile(quiet, 0.99) + allowed * late),
        target: 1,
        unit: `ms p99, beside writers : quiet and ${allowed} round trips`,
        quietP50: quantile(quiet, 0.5),
        quietP99: quantile(quiet, 0.99),
        besideP50: quantile(beside, 0.5),
        likesASecond: likes / lab.seconds(5),
      };
    } finally {
      await web.stop();
      await network.close();
    }
  });
}
