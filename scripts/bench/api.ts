import type { UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { asSent, load } from "./load.ts";
import { sessionOf, tokenOf } from "./session.ts";
import { postTweet, startLimits, startUnlimitedWeb, startWorker } from "./site.ts";

const tweets = 20;

/** Home through the API, 20 statuses, against the page of the same 20 tweets from the same process. */
export async function api(lab: Lab) {
  await lab.clear();
  const authors = await makePeople(lab, "author", tweets);
  const [reader] = (await makePeople(lab, "reader", 1)) as [UserId];
  await each(lab, "follows", tweets, async (nth) => {
    await follow(lab.ctx, { follower: reader, followee: authors[nth] as UserId });
  });
  const web = await startUnlimitedWeb(lab);
  const worker = await startWorker(lab);
  try {
    for (let nth = 0; nth < tweets; nth += 1) {
      const cookie = await sessionOf(lab, authors[nth] as UserId);
      const words = "a sparrow sat on the wire and thought of bread.";
      await postTweet(web, cookie, `Bench tweet ${nth}: ${words}`);
    }
    const cookie = await sessionOf(lab, reader);
    const authorization = `Bearer ${await tokenOf(lab, reader)}`;
    const home = `${web.url}/api/v1/timelines/home`;
    const json = await untilFull(home, authorization);
    const limits = await startLimits(lab, await asSent(home, { authorization }));
    const warmUp = { seconds: lab.seconds(3) };
    const seconds = lab.seconds(5);
    try {
      await load(web.url, { cookie, ...warmUp });
      await load(home, { authorization, ...warmUp });
      await load(`${limits.url}/fixed`, warmUp);
      const page = await load(web.url, { cookie, seconds });
      const ours = await load(home, { authorization, seconds });
      const fixed = await load(`${limits.url}/fixed`, { seconds });
      return {
        ours: ours.rate,
        limit: page.rate,
        ratio: ours.rate / page.rate,
        target: 1,
        unit: "homes/s of 20, JSON : HTML",
        fixed: fixed.rate,
        ratioToFixed: ours.rate / fixed.rate,
        p50: ours.p50,
        p99: ours.p99,
        bytes: json.length,
        bytesOfPage: Math.round(page.bytes),
      };
    } finally {
      await limits.stop();
    }
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

async function untilFull(url: string, authorization: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(url, { headers: { authorization } });
    const text = await answer.text();
    if (answer.ok && (JSON.parse(text) as unknown[]).length === tweets) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("home never had 20 statuses");
}
