import { follow } from "../../src/domain/timelines/follow.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { load } from "./load.ts";
import { logIn, postTweet, startScript, startWeb, startWorker } from "./site.ts";

/** So much of a page's time goes into warming up, which is not measured. */
const warmUp = { seconds: 3 };

/** The signed-in home page of 50 tweets from 50 authors, against the same bytes from memory. */
export async function home(lab: Lab) {
  await lab.clear();
  const authors = await makePeople(lab, "author", 50);
  const [reader] = await makePeople(lab, "reader", 1);
  if (reader === undefined) throw new Error("nobody reads");
  await each(lab, "follows", authors.length, async (nth) => {
    const followee = authors[nth];
    if (followee !== undefined) await follow(lab.ctx, { follower: reader, followee });
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  try {
    for (let nth = 0; nth < authors.length; nth += 1) {
      const cookie = await logIn(web, `author_${nth}`);
      await postTweet(
        web,
        cookie,
        `Bench tweet ${nth}: a sparrow sat on the wire and thought of bread.`,
      );
    }
    const cookie = await logIn(web, "reader_0");
    const page = await untilFull(web.url, cookie);
    const limits = await startScript(lab, "scripts/bench/limit-server.ts", page);
    try {
      await load(web.url, { cookie, ...warmUp });
      await load(`${limits.url}/fixed`, warmUp);
      const ours = await load(web.url, { cookie });
      const fixed = await load(`${limits.url}/fixed`, {});
      const rendered = await load(`${limits.url}/rendered`, {});
      return {
        ours: ours.rate,
        limit: fixed.rate,
        ratio: ours.rate / fixed.rate,
        target: 0.5,
        unit: "pages/s",
        renderedFromMemory: rendered.rate,
        ratioToRendered: ours.rate / rendered.rate,
        p50: ours.p50,
        p99: ours.p99,
        bytes: page.length,
      };
    } finally {
      await limits.stop();
    }
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

async function untilFull(url: string, cookie: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(url, { headers: { cookie } });
    const page = await answer.text();
    if (page.split("data-tweet-id").length === 51) return page;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the home page never had 50 tweets");
}
