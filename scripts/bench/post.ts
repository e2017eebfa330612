import { makeFollowed } from "./followed.ts";
import { type Lab, makePeople } from "./lab.ts";
import { median, timeEach } from "./load.ts";
import { logIn, postTweet, startUnlimitedWeb } from "./site.ts";

const times = 200;

/** p50 of POST /tweets by a user without followers, and by a user with 210,000 followers. */
export async function post(lab: Lab) {
  const { followers } = await makeFollowed(lab);
  await makePeople(lab, "loner", 1);
  // No worker: what is measured is the request, not the delivery that it promises.
  const web = await startUnlimitedWeb(lab);
  try {
    const loner = await logIn(web, "loner_0");
    const star = await logIn(web, "author_0");
    const alone: number[] = [];
    const followed: number[] = [];
    await timeEach(lab.times(50), (nth) =>
      postTweet(web, nth % 2 === 0 ? loner : star, `Warm-up ${nth}`),
    );
    // In turns, so that noise hits both.
    for (let nth = 0; nth < lab.times(times); nth += 1) {
      alone.push(...(await timeEach(1, () => postTweet(web, loner, `Bench tweet ${nth}`))));
      followed.push(...(await timeEach(1, () => postTweet(web, star, `Bench tweet ${nth}`))));
    }
    return {
      ours: median(followed),
      limit: median(alone),
      ratio: median(followed) / median(alone),
      target: 1.2,
      unit: "ms a post",
      followers: followers.length,
    };
  } finally {
    await web.stop();
  }
}
