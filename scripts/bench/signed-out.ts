import { likeTweet } from "../../src/domain/actions/like.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { againstFixed, type Compared } from "./against.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { startUnlimitedWeb, startWorker, untilIdle } from "./site.ts";

const people = 50;
const tweetsOfOne = 60;

/** What visitors without an account read: the welcome page, a tweet with its replies, a profile. */
export async function signedOut(lab: Lab) {
  const tweet = await setScene(lab);
  const web = await startUnlimitedWeb(lab);
  const worker = await startWorker(lab);
  try {
    await untilIdle(lab);
    const pages: Record<string, Compared> = {};
    for (const [name, path] of [
      ["welcome", "/"],
      ["tweet", `/tweets/${tweet}`],
      ["profile", "/@writer_0"],
    ] as const)
      pages[name] = await againstFixed(lab, web.url + path, {});
    const all = Object.values(pages);
    const ours = together(all.map(({ ours: { rate } }) => rate));
    const limit = together(all.map(({ fixed: { rate } }) => rate));
    return {
      ours,
      limit,
      ratio: ours / limit,
      target: 0.7,
      unit: "pages/s, a third each",
      ...Object.fromEntries(
        Object.entries(pages).map(([name, { ours: own, fixed, encoding }]) => [
          name,
          { ours: own.rate, limit: fixed.rate, bytes: Math.round(own.bytes), encoding },
        ]),
      ),
    };
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/** One writer with more than a page of tweets; the newest has a page of replies. */
async function setScene(lab: Lab) {
  await lab.clear();
  const writers = await makePeople(lab, "writer", people);
  const [writer] = writers;
  if (writer === undefined) throw new Error("nobody writes");
  const words = "a sparrow sat on the wire and thought of bread.";
  for (let nth = 1; nth < tweetsOfOne; nth += 1)
    await postTweet(lab.ctx, writer, { text: `Bench tweet ${nth}: ${words}` });
  const tweet = await postTweet(lab.ctx, writer, { text: `Bench tweet that is read: ${words}` });
  await each(lab, "replies", people, async (nth) => {
    const other = writers[nth];
    if (other === undefined) return;
    await postTweet(lab.ctx, other, { text: `Bench reply ${nth}: ${words}`, replyTo: tweet });
    await likeTweet(lab.ctx, other, tweet);
  });
  return tweet;
}

/** The rate at which as many of each are answered. */
function together(rates: number[]): number {
  return rates.length / rates.reduce((seconds, rate) => seconds + 1 / rate, 0);
}
