import { setTimeout as sleep } from "node:timers/promises";
import { type Home, tweets, untilPage, withHome } from "./home.ts";
import { isTry, type Lab } from "./lab.ts";
import { asSent, type Who } from "./load.ts";
import { tokenOf } from "./session.ts";
import { postForm, postTweet, startLimits, untilIdle } from "./site.ts";
import { Visitors } from "./visitors.ts";

const mostReaders = 60;
const connections = 10;
/** Tweets a second of `readersMixed`; each reader follows three of five authors. */
const tweetsPerSecond = 10;
/** More than there are connections. */
const readerCount = (lab: Lab) => (isTry(lab.scale) ? 12 : mostReaders);
const followsSome = (reader: number, author: number) => (reader + author) % 5 < 3;

/**
 * Home pages a second, if all readers find a new tweet at each visit. Posting and delivering is not in the time. Beside
 * it, of the same site: home through the API, a profile whose author has tweeted, a thread in which a like was given.
 */
export async function readers(lab: Lab) {
  return await withHome(lab, { readers: readerCount(lab) }, async (home) => {
    const news = (round: number) => newsAtHome(lab, home, round);
    const measured = { ...(await compare(lab, home, { news })), target: 0.2 };
    const tokens = await Promise.all(home.followers.map((reader) => tokenOf(lab, reader)));
    const askers = tokens.map((token): Who => ({ authorization: `Bearer ${token}` }));
    const beside = {
      readersApi: await compare(lab, home, { path: "/api/v1/timelines/home", askers, news }),
      readersProfile: await compare(lab, home, await profileWithNews(lab, home)),
      readersThread: await compare(lab, home, await threadWithLikes(lab, home)),
    };
    return { ...measured, beside };
  });
}

async function profileWithNews(lab: Lab, { web, authors, cookies }: Home): Promise<Visits> {
  const [author = ""] = authors;
  const path = "/@author_0";
  for (let nth = 0; nth < tweets; nth += 1)
    await postTweet(web, author, `Bench tweet ${nth} of the profile.`);
  const news = async (round: number) => {
    const text = `Bench news ${round} on the profile.`;
    await postTweet(web, author, text);
    await untilIdle(lab);
    await untilPage(web.url + path, cookies[0], (page) => page.includes(text));
  };
  return { path, news };
}

/** A tweet with twenty replies. */
async function threadWithLikes(lab: Lab, { web, authors, cookies }: Home): Promise<Visits> {
  const page = await (await fetch(web.url, { headers: { cookie: cookies[0] } })).text();
  const id = /data-tweet-id="(\d+)"/.exec(page)?.[1] ?? "";
  for (const [nth, author] of authors.slice(0, 20).entries())
    await postForm(web, author, "/tweets", { text: `Bench reply ${nth}.`, reply_to: id });
  await untilIdle(lab);
  const news = async (round: number) => {
    const verb = Math.floor(round / tweets) % 2 === 0 ? "like" : "unlike";
    await postForm(web, authors[round % tweets] ?? "", `/tweets/${id}/${verb}`, {});
    await untilIdle(lab);
  };
  return { path: `/tweets/${id}`, news };
}

async function newsAtHome(lab: Lab, home: Home, round: number): Promise<void> {
  const text = `Bench news ${round} for all.`;
  await postTweet(home.web, home.authors[round % tweets] ?? "", text);
  await untilIdle(lab);
  await untilPage(home.web.url, home.cookies[0] ?? "", (page) => page.includes(text));
}

/** The same while people tweet, as many as read: some visits find something new, others do not. */
export async function readersMixed(lab: Lab) {
  return await withHome(lab, { readers: readerCount(lab), follows: followsSome }, async (home) => {
    const over = new AbortController();
    const posting = (async () => {
      for (let nth = 0; !over.signal.aborted; nth += 1) {
        const due = sleep(1000 / tweetsPerSecond);
        await postTweet(home.web, home.authors[nth % tweets] ?? "", `Bench tweet again ${nth}.`);
        await due;
      }
    })();
    const compared = await compare(lab, home, {}).finally(() => over.abort());
    await posting;
    return { ...compared, target: 0.3 };
  });
}

interface Visits {
  path?: string;
  /** Default: the readers, by their cookies. */
  askers?: Who[];
  /** Runs before each round of visits and is not measured. */
  news?: (round: number) => Promise<void>;
}

async function compare(
  lab: Lab,
  { web, cookies }: Home,
  { path = "/", askers = cookies.map((cookie) => ({ cookie })), news = async () => {} }: Visits,
) {
  const limits = await startLimits(lab, await asSent(web.url + path, askers[0] ?? {}));
  try {
    const measure = async (url: string, at: string, wait: (round: number) => Promise<void>) => {
      const visitors = new Visitors(url, connections);
      const timed = async (seconds: number) =>
        await timeVisits(visitors, at, askers, { seconds: lab.seconds(seconds), wait });
      await timed(2);
      const measured = await timed(5);
      await visitors.leave();
      return measured;
    };
    const ours = await measure(web.url, path, news);
    const fixed = await measure(limits.url, "/fixed", async () => {});
    return {
      ours: ours.rate,
      limit: fixed.rate,
      ratio: ours.rate / fixed.rate,
      unit: "pages/s",
      bytes: ours.bytes,
      encoding: ours.encoding,
    };
  } finally {
    await limits.stop();
  }
}

let rounds = 0;

/** Rounds of visits until they have taken `seconds`, the waits before them apart. */
async function timeVisits(
  visitors: Visitors,
  path: string,
  askers: Who[],
  { seconds, wait }: { seconds: number; wait: (round: number) => Promise<void> },
) {
  let milliseconds = 0;
  let visits = 0;
  let bytes = 0;
  let encoding = "";
  while (milliseconds < seconds * 1000) {
    await wait((rounds += 1));
    const began = performance.now();
    const answers = await visitors.visit(path, askers);
    milliseconds += performance.now() - began;
    visits += answers.length;
    bytes += answers.reduce((sum, { body }) => sum + body.length, 0);
    encoding = answers[0]?.encoding ?? "";
  }
  return { rate: visits / (milliseconds / 1000), bytes: Math.round(bytes / visits), encoding };
}
