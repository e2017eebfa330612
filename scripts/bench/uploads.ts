import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { hostileUploads } from "./hostile-uploads.ts";
import { each, isTry, type Lab, makePeople } from "./lab.ts";
import { after, median, quantile, timePages } from "./load.ts";
import { sessionOf } from "./session.ts";
import { startWeb, startWorker, untilIdle } from "./site.ts";

const rounds = 2;
const idleSeconds = 3;
/** Uploads sent at the same moment, each by another account from another address. */
const most = 50;

/** p95 of the home page while hostile uploads arrive and are converted by a worker, against a quiet site. */
export async function uploads(lab: Lab) {
  return await measure(lab, "uploads", { inline: false });
}

/** The same where one process serves pages and converts pictures. */
export async function uploadsInline(lab: Lab) {
  return await measure(lab, "uploadsInline", { inline: true });
}

async function measure(lab: Lab, label: string, { inline }: { inline: boolean }) {
  await lab.clear();
  const atOnce = Math.max(10, Math.round(most * lab.scale));
  const files = await Promise.all(
    (await hostileUploads(isTry(lab.scale) ? 0.1 : 1)).map(async (bytes, nth) => {
      const file = join(lab.dataDir, `hostile-${nth}`);
      await writeFile(file, bytes);
      return file;
    }),
  );
  const [reader, ...authors] = await makePeople(lab, "reader", 21);
  if (reader === undefined) throw new Error("no reader");
  await each(lab, "friends", authors.length, async (nth) => {
    const followee = authors[nth];
    if (followee === undefined) return;
    await follow(lab.ctx, { follower: reader, followee });
    await postTweet(lab.ctx, followee, { text: `Bench tweet by friend ${nth}` });
  });
  const uploaders = await makePeople(lab, "uploader", atOnce);
  // Behind a proxy: each uploader has an address.
  const settings = { TRUST_PROXY: "1", INLINE_WORKER: String(inline) };
  const web = await startWeb(lab, settings);
  const worker = inline ? undefined : await startWorker(lab);
  try {
    const cookies = await Promise.all(uploaders.map((uploader) => sessionOf(lab, uploader)));
    const cookie = await sessionOf(lab, reader);
    await untilIdle(lab);
    await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000));
    const idle: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      idle.push(
        quantile(await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000)), 0.95),
      );
      let over = false;
      const sent = send({ url: web.url, cookies, files: rotated(files, round) });
      void sent.then(() => untilIdle(lab)).then(() => (over = true));
      const began = performance.now();
      const took = await timePages(web.url, cookie, () => over);
      busy.push(quantile(took, 0.95));
      const seconds = (performance.now() - began) / 1000;
      lab.say(`${label}: answers ${await sent}`);
      lab.say(
        `${label}: p95 ${idle.at(-1)?.toFixed(2)} ms idle, ${busy.at(-1)?.toFixed(2)} ms busy, ` +
          `slowest ${quantile(took, 1).toFixed(0)} ms of ${took.length} in ${seconds.toFixed(1)} s`,
      );
    }
    return {
      ours: median(busy),
      limit: median(idle),
      ratio: median(busy) / median(idle),
      target: 2,
      unit: "ms, p95",
    };
  } finally {
    await Promise.all([web.stop(), worker?.stop()]);
  }
}

const run = promisify(execFile);

/** Resolves to the statuses of the answers. */
async function send(crowd: { url: string; cookies: string[]; files: string[] }): Promise<string> {
  const environment = { ...process.env, BENCH_CROWD: JSON.stringify(crowd) };
  const program = ["--import", "tsx", "scripts/bench/upload-crowd.ts"];
  const { stdout } = await run(process.execPath, program, { env: environment });
  return stdout;
}

function rotated<Item>(items: Item[], by: number): Item[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
