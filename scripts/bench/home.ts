import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../../src/domain/actions/follow.ts";
import { againstFixed } from "./against.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { logIn, postTweet, type Running, startWeb, startWorker } from "./site.ts";

const tweets = 50;
/** Milliseconds between tweets of the authors that the reader follows. */
const changeMilliseconds = 50;

/** The signed-in home page of 50 tweets from 50 authors that nothing happens to, as a browser asks for it. */
export async function homeUnchanged(lab: Lab) {
  return await withHome(lab, async ({ web, cookie }) => {
    const { rendered, ...compared } = await againstFixed(
      lab,
      web.url,
      { cookie },
      { andRendered: true },
    );
    return {
      ...figures(compared),
      target: 0.6,
      renderedFromMemory: rendered?.rate,
    };
  });
}

/** The same while one of the authors tweets 20 times a second. */
export async function homeChanging(lab: Lab) {
  return await withHome(lab, async ({ web, cookie, authors }) => {
    let posted = 0;
    const meanwhile = async (ending: AbortSignal) => {
      while (!ending.aborted) {
        const due = sleep(changeMilliseconds);
        await postTweet(web, authors[posted % tweets] ?? "", `Bench tweet again ${posted}.`);
        posted += 1;
        await due;
      }
    };
    const compared = await againstFixed(lab, web.url, { cookie }, { meanwhile });
    return { ...figures(compared), target: 0.3, posted };
  });
}

type Compared = Awaited<ReturnType<typeof againstFixed>>;

function figures({ ours, fixed, encoding }: Omit<Compared, "rendered">) {
  return {
    ours: ours.rate,
    limit: fixed.rate,
    ratio: ours.rate / fixed.rate,
    unit: "pages/s",
    p50: ours.p50,
    p99: ours.p99,
    bytes: Math.round(ours.bytes),
    encoding,
  };
}

interface Home {
  web: Running;
  /** The reader's. */
  cookie: string;
  /** The authors' cookies. */
  authors: string[];
}

async function withHome<Result>(lab: Lab, measure: (home: Home) => Promise<Result>) {
  await lab.clear();
  const people = await makePeople(lab, "author", tweets);
  const [reader] = await makePeople(lab, "reader", 1);
  if (reader === undefined) throw new Error("nobody reads");
  await each(lab, "follows", people.length, async (nth) => {
    const followee = people[nth];
    if (followee !== undefined) await follow(lab.ctx, { follower: reader, followee });
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  try {
    const authors: string[] = [];
    for (let nth = 0; nth < tweets; nth += 1) {
      const author = await logIn(web, `author_${nth}`);
      const words = "a sparrow sat on the wire and thought of bread.";
      await postTweet(web, author, `Bench tweet ${nth}: ${words}`);
      authors.push(author);
    }
    const cookie = await logIn(web, "reader_0");
    await untilFull(web.url, cookie);
    return await measure({ web, cookie, authors });
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

async function untilFull(url: string, cookie: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(url, { headers: { cookie } });
    const page = await answer.text();
    if (page.split("data-tweet-id").length === tweets + 1) return;
    await sleep(100);
  }
  throw new Error(`the home page never had ${tweets} tweets`);
}
