import type { UserId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { followFirst, type Lab, makePeople } from "./lab.ts";
import { after, median, timePages } from "./load.ts";
import { logIn, startWeb, startWorker, untilIdle } from "./site.ts";

const sizes = [10, 300, 10_000];
const rounds = 5;

/** p50 of the home page of people who follow 10, 300 and 10,000: it must not depend on that. */
export async function follows(lab: Lab) {
  await lab.clear();
  const counts = sizes.map((size) => Math.max(10, Math.round(size * (size > 300 ? lab.scale : 1))));
  const authors = await makePeople(lab, "author", Math.max(...counts));
  const readers = await makePeople(lab, "reader", counts.length);
  for (const [nth, count] of counts.entries()) {
    const reader = readers[nth];
    if (reader !== undefined) await followFirst(lab, reader, authors, count);
  }
  const worker = await startWorker(lab);
  const web = await startWeb(lab);
  try {
    // The same tweets for all: ten authors with all readers as followers.
    await tweetFrom(lab, authors.slice(0, 10), 100);
    await untilIdle(lab);
    await worker.stop();
    const cookies = [];
    for (const nth of counts.keys()) cookies.push(await logIn(web, `reader_${nth}`));
    const took = counts.map((): number[] => []);
    for (let round = 0; round <= lab.times(rounds); round += 1) {
      for (const [nth, cookie] of cookies.entries()) {
        const pages = await timePages(web.url, cookie, after(lab.seconds(1.5) * 1000));
        if (round > 0) took[nth]?.push(median(pages));
      }
    }
    const medians = took.map(median);
    return {
      milliseconds: Object.fromEntries(counts.map((count, nth) => [count, medians[nth]])),
      ours: medians.at(-1),
      limit: medians[0],
      ratio: (medians.at(-1) ?? 0) / (medians[0] ?? 1),
      target: 1.2,
      unit: "ms a page",
    };
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

async function tweetFrom(lab: Lab, authors: UserId[], count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) {
    const author = authors[nth % authors.length];
    if (author !== undefined) await postTweet(lab.ctx, author, { text: `Bench tweet ${nth}` });
  }
}
