import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { largeArchive } from "../../test/support/data/large-archive.ts";
import { each, isTry, type Lab, makePeople } from "./lab.ts";
import { after, quantile, timePages } from "./load.ts";
import { logIn, postForm, startUnlimitedWeb, startWorker, unlimited, untilIdle } from "./site.ts";

const path = "/settings/data";
const size = { tweets: 50_000, pictures: 2000 };
const idleSeconds = 5;

/** p95 of the home page while an archive of X is read, and then imported by a worker, against a quiet site. */
export async function imports(lab: Lab) {
  await lab.clear();
  const [reader, ...authors] = await makePeople(lab, "reader", 21);
  if (reader === undefined) throw new Error("no reader");
  await each(lab, "friends", authors.length, async (nth) => {
    const followee = authors[nth];
    if (followee === undefined) return;
    await follow(lab.ctx, { follower: reader, followee });
    await postTweet(lab.ctx, followee, { text: `Bench tweet by friend ${nth}` });
  });
  await makePeople(lab, "mover", 1);
  const web = await startUnlimitedWeb(lab, { IMPORT_MEGABYTES: "100" });
  const worker = await startWorker(lab, unlimited);
  try {
    const [cookie, mover] = [await logIn(web, "reader_0"), await logIn(web, "mover_0")];
    const pictures = isTry(lab.scale) ? 4 : Math.round(size.pictures * lab.scale);
    const file = await largeArchive({ tweets: pictures * 25, pictures });
    lab.say(`imports: ${(file.length / 1e6).toFixed(0)} MB, ${pictures * 25} tweets`);
    await untilIdle(lab);
    await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000));
    const quiet = await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000));
    const idle = quantile(quiet, 0.95);
    let over = false;
    const done = (async () => {
      const began = performance.now();
      await send(web.url, mover, file);
      lab.say(`imports: read in ${seconds(began)} s`);
      const id = /name="import" value="([^"]+)"/.exec(await pageOf(web.url, mover))?.[1] ?? "";
      await postForm(web, mover, `${path}/import`, { import: id, step: "start" });
      while (!(await pageOf(web.url, mover)).includes("<strong>Done</strong>")) await sleep(1000);
      lab.say(`imports: done in ${seconds(began)} s`);
    })().finally(() => (over = true));
    const took = await timePages(web.url, cookie, () => over);
    await done;
    const busy = quantile(took, 0.95);
    lab.say(`imports: slowest ${quantile(took, 1).toFixed(0)} ms of ${took.length} pages`);
    return { ours: busy, limit: idle, ratio: busy / idle, target: 2, unit: "ms, p95" };
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(0);
}

async function pageOf(url: string, cookie: string): Promise<string> {
  return await (await fetch(`${url}${path}`, { headers: { cookie } })).text();
}

async function send(url: string, cookie: string, file: Buffer): Promise<void> {
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(file)]), "archive.zip");
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { cookie },
    body,
    redirect: "manual",
  });
  if (answer.status !== 303) throw new Error(`the archive got ${answer.status}`);
}
