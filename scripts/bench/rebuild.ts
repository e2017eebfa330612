import { keys } from "../../src/redis/keys.ts";
import { rebuildHome } from "../../src/domain/timelines/home.ts";
import { addToTimelines } from "../../src/domain/timelines/store.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { stampAt, tweetId } from "../../src/domain/ids.ts";
import { each, followFirst, type Lab, makePeople } from "./lab.ts";
import { median, timeEach } from "./load.ts";
import { logIn, startWeb } from "./site.ts";

const times = 30;
/** Tweets of each author: half a year of two a week. */
const tweetsEach = 50;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** The first home page of a user who returns after their home timeline expired. */
export async function rebuild(lab: Lab) {
  await lab.clear();
  const counts = [300, Math.max(300, Math.round(3000 * lab.scale))];
  const authors = await makePeople(lab, "author", Math.max(...counts));
  const began = Date.now() - 180 * dayMilliseconds;
  const tweets = authors.length * Math.max(5, Math.round(tweetsEach * lab.scale));
  await each(lab, "tweets", tweets, async (nth) => {
    const author = authors[nth % authors.length];
    if (author === undefined) return;
    const tweet = tweetId(await lab.ctx.redis.incr(keys.tweetIds));
    const stamp = stampAt(began + Math.random() * 180 * dayMilliseconds, tweet);
    await createTweet(lab.ctx, { id: tweet, author, text: `Bench tweet ${nth}`, createdAt: stamp });
    await addToTimelines(lab.ctx, { tweet, author, stamp });
  });
  const readers = await makePeople(lab, "reader", counts.length);
  const web = await startWeb(lab);
  try {
    const rebuilds: Record<string, number> = {};
    const pages: Record<string, number> = {};
    for (const [nth, count] of counts.entries()) {
      const follower = readers[nth];
      if (follower === undefined) continue;
      await followFirst(lab, follower, authors, count);
      const cookie = await logIn(web, `reader_${nth}`);
      const home = keys.homeTimeline(follower);
      const took: number[] = [];
      for (let time = 0; time < lab.times(times); time += 1) {
        await lab.ctx.redis.del(home);
        const page = () => fetch(web.url, { headers: { cookie } }).then((answer) => answer.text());
        took.push(...(await timeEach(1, page)));
      }
      pages[count] = median(took);
      rebuilds[count] = median(
        await timeEach(lab.times(times), async () => {
          await lab.ctx.redis.del(home);
          await rebuildHome(lab.ctx, follower);
        }),
      );
    }
    return {
      ours: pages["300"],
      limit: 50,
      ratio: (pages["300"] ?? 0) / 50,
      target: 1,
      unit: "ms, rebuild and page",
      pageMilliseconds: pages,
      rebuildMilliseconds: rebuilds,
    };
  } finally {
    await web.stop();
  }
}
