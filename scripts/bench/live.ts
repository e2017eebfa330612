import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { idleSeconds, openSession, sessionPrefix } from "../../src/domain/users/sessions.ts";
import { at, Crowd, gaugeOf } from "./crowd.ts";
import { each, type Lab, makePeople, settings } from "./lab.ts";
import { logIn, startWeb, startWorker } from "./site.ts";

const wantedStreams = 5000;
/** Of so many listeners one follows whoever tweets for the few. */
const fewOf = 100;
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
  const crowd = new Crowd(web, "home");
  try {
    // A page for everybody would warm the process up for what is not measured.
    await logIn(web, "author_0");
    await sleep(1000);
    const before = await gaugeOf(web, "process_resident_memory_bytes");
    await each(lab, "streams", count, async (nth) => {
      await crowd.join("/live?after=0", { cookie: await sessionOf(lab, listeners[nth] as UserId) });
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

/** The cookie of a session, without the log-in, which would spend hours on passwords. */
async function sessionOf({ ctx }: Lab, user: UserId): Promise<string> {
  const session = randomUUID();
  const data = { cookie: { originalMaxAge: idleSeconds * 1000 }, user, seenAt: ctx.now() };
  await openSession(ctx, user, session);
  await ctx.redis.set(sessionPrefix + session, JSON.stringify(data), "EX", idleSeconds);
  const seal = createHmac("sha256", settings.SESSION_SECRET).update(session).digest("base64");
  return `suzume=${encodeURIComponent(`s:${session}.${seal.replace(/=+$/, "")}`)}`;
}
