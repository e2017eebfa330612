import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/timelines/follow.ts";
import { idleSeconds, openSession, sessionPrefix } from "../../src/domain/users/sessions.ts";
import { each, type Lab, makePeople, settings } from "./lab.ts";
import { logIn, postTweet, type Running, startWeb, startWorker } from "./site.ts";

const wantedStreams = 5000;
/** Of so many listeners one follows whoever tweets for the few. */
const fewOf = 100;
const times = 10;
const idleMilliseconds = 10_000;

/** Milliseconds from POST /tweets to the event on open pages: of a few of them, and of all at once. */
export async function live(lab: Lab) {
  await lab.clear();
  const count = Math.max(fewOf, Math.round(wantedStreams * lab.scale));
  const listeners = await makePeople(lab, "listener", count);
  const [few, all] = (await makePeople(lab, "author", 2)) as [UserId, UserId];
  await each(lab, "follows", count, async (nth) => {
    const follower = listeners[nth] as UserId;
    await follow(lab.ctx, { follower, followee: all });
    if (nth % fewOf === 0) await follow(lab.ctx, { follower, followee: few });
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  const crowd = new Crowd(web);
  try {
    // A page for everybody would warm the process up for what is not measured.
    await logIn(web, "author_0");
    await sleep(1000);
    const before = await gaugeOf(web, "process_resident_memory_bytes");
    await each(lab, "streams", count, async (nth) => {
      await crowd.join(await sessionOf(lab, listeners[nth] as UserId));
    });
    await sleep(3000);
    const after = await gaugeOf(web, "process_resident_memory_bytes");
    const busy = await gaugeOf(web, "process_cpu_seconds_total");
    await sleep(idleMilliseconds);
    const idle = (await gaugeOf(web, "process_cpu_seconds_total")) - busy;
    const toFew = await crowd.time(await logIn(web, "author_0"), Math.ceil(count / fewOf));
    const toAll = await crowd.time(await logIn(web, "author_1"), count);
    return {
      ours: at(toFew, 0.99),
      limit: at(toAll, 0.99),
      ratio: at(toFew, 0.99) / at(toAll, 0.99),
      unit: "ms from post to event (p99), told to 1 % : all",
      streams: count,
      toFewP50: at(toFew, 0.5),
      toAllP50: at(toAll, 0.5),
      kilobytesEach: (after - before) / count / 1000,
      idleShareOfCore: idle / (idleMilliseconds / 1000),
    };
  } finally {
    crowd.leave();
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/** All open pages, and when which of them heard of something new. */
class Crowd {
  readonly #web: Running;
  readonly #agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  readonly #open: ClientRequest[] = [];
  #heard: number[] = [];

  constructor(web: Running) {
    this.#web = web;
  }

  async join(cookie: string): Promise<void> {
    const headers = { cookie, accept: "text/event-stream" };
    const asked = request(`${this.#web.url}/live?after=0`, { agent: this.#agent, headers });
    this.#open.push(asked);
    const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`/live answered ${answer.statusCode}`);
    answer.on("error", () => {});
    answer.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("event: home")) this.#heard.push(performance.now());
    });
  }

  /** Milliseconds after which each of `count` pages was told of a tweet, of several tweets. */
  async time(cookie: string, count: number): Promise<number[]> {
    const took: number[] = [];
    for (let nth = 0; nth < times; nth += 1) {
      // At any moment between two rounds.
      await sleep(1500 + Math.random() * 1000);
      this.#heard = [];
      const began = performance.now();
      await postTweet(this.#web, cookie, `Bench tweet ${nth}: a sparrow sat on the wire.`);
      while (this.#heard.length < count) {
        if (performance.now() - began > 60_000)
          throw new Error(`only ${this.#heard.length} of ${count} were told`);
        await sleep(5);
      }
      took.push(...this.#heard.map((moment) => moment - began));
    }
    return took.toSorted((one, other) => one - other);
  }

  leave(): void {
    for (const one of this.#open) one.on("error", () => {}).destroy();
  }
}

/** The cookie of a session, without the log-in, which would spend hours on passwords. */
async function sessionOf({ ctx }: Lab, user: UserId): Promise<string> {
  const session = randomUUID();
  const data = { cookie: { originalMaxAge: idleSeconds * 1000 }, user, seenAt: ctx.now() };
  await openSession(ctx, user, session);
  await ctx.redis.set(sessionPrefix + session, JSON.stringify(data), "EX", idleSeconds);
  const seal = createHmac("sha256", settings.SESSION_SECRET).update(session).digest("base64");
  return `suzume=${encodeURIComponent(`s:${session}.${seal.replace(/=+$/, "")}`)}`;
}

async function gaugeOf({ url }: Running, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
}

/** Of sorted numbers. */
function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
