import { follow } from "../../src/domain/actions/follow.ts";
import { postTweet as post } from "../../src/domain/actions/post-tweet.ts";
import { makeFollowed } from "./followed.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { after, median, quantile, timePages } from "./load.ts";
import { logIn, postTweet, startWeb, startWorker, untilIdle } from "./site.ts";

const rounds = 5;
const idleSeconds = 3;
/** Deliveries to all followers that follow one another while pages are asked for. */
const tweetsInARow = 4;

/** p99 of the home page while tweets are delivered to 210,000 followers, against an idle worker. */
export async function interference(lab: Lab) {
  const { followers } = await makeFollowed(lab);
  const authors = await makePeople(lab, "friend", 50);
  const [reader] = await makePeople(lab, "reader", 1);
  if (reader === undefined) throw new Error("nobody reads");
  await each(lab, "friends", authors.length, async (nth) => {
    const followee = authors[nth];
    if (followee === undefined) return;
    await follow(lab.ctx, { follower: reader, followee });
    await post(lab.ctx, followee, { text: `Bench tweet by friend ${nth}` });
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  try {
    await untilIdle(lab);
    const cookie = await logIn(web, "reader_0");
    const star = await logIn(web, "author_0");
    await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000));
    const idle: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < lab.times(rounds); round += 1) {
      const quiet = await timePages(web.url, cookie, after(lab.seconds(idleSeconds) * 1000));
      idle.push(quantile(quiet, 0.99));
      for (let nth = 0; nth < tweetsInARow; nth += 1)
        await postTweet(web, star, `Bench tweet ${round} ${nth} to everybody.`);
      let over = false;
      void untilIdle(lab).then(() => (over = true));
      busy.push(quantile(await timePages(web.url, cookie, () => over), 0.99));
      lab.say(
        `interference: p99 ${idle.at(-1)?.toFixed(2)} ms idle, ${busy.at(-1)?.toFixed(2)} ms busy`,
      );
    }
    return {
      ours: median(busy),
      limit: median(idle),
      ratio: median(busy) / median(idle),
      target: 2,
      unit: "ms, p99",
      deliveries: followers.length,
    };
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}
