import { setTimeout as sleep } from "node:timers/promises";
import { parseScopes } from "../../src/domain/apps/scopes.ts";
import { storeToken, newToken } from "../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId, type UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { at, Crowd, gaugeOf } from "./crowd.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { logIn, startWeb, startWorker } from "./site.ts";

const wantedStreams = 2000;
/** Of so many listeners one follows whoever tweets for the few. */
const fewOf = 100;
const idleMilliseconds = 10_000;

/** Milliseconds from POST /tweets to the status on the streams of apps: of a few, of all, and of everybody's list. */
export async function streaming(lab: Lab) {
  await lab.clear();
  const count = Math.max(fewOf, Math.round(wantedStreams * lab.scale));
  const listeners = await makePeople(lab, "listener", count);
  const [few, all] = (await makePeople(lab, "author", 3)) as [UserId, UserId];
  const tokens = await tokensOf(lab, listeners);
  await each(lab, "follows", count, async (nth) => {
    const follower = listeners[nth] as UserId;
    await follow(lab.ctx, { follower, followee: all });
    if (nth % fewOf === 0) await follow(lab.ctx, { follower, followee: few });
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  const homes = new Crowd(web, "update");
  const lists = new Crowd(web, "update");
  const open = async (crowd: Crowd, path: string) => {
    await each(lab, path, count, async (nth) => {
      await crowd.join(path, { authorization: `Bearer ${tokens[nth]}` });
    });
    await sleep(3000);
  };
  try {
    await logIn(web, "author_0");
    await sleep(1000);
    const before = await gaugeOf(web, "process_resident_memory_bytes");
    await open(homes, "/api/v1/streaming/user");
    const after = await gaugeOf(web, "process_resident_memory_bytes");
    const busy = await gaugeOf(web, "process_cpu_seconds_total");
    await sleep(idleMilliseconds);
    const idle = (await gaugeOf(web, "process_cpu_seconds_total")) - busy;
    const toFew = await homes.time(await logIn(web, "author_0"), Math.ceil(count / fewOf));
    const toAll = await homes.time(await logIn(web, "author_1"), count);
    const told = await gaugeOf(web, "process_resident_memory_bytes");
    homes.leave();
    await open(lists, "/api/v1/streaming/public");
    const toLists = await lists.time(await logIn(web, "author_2"), count);
    return {
      ours: at(toFew, 0.99),
      limit: at(toAll, 0.99),
      ratio: at(toFew, 0.99) / at(toAll, 0.99),
      unit: "ms from post to status (p99), told to 1 % : all",
      streams: count,
      toFewP50: at(toFew, 0.5),
      toAllP50: at(toAll, 0.5),
      publicP50: at(toLists, 0.5),
      publicP99: at(toLists, 0.99),
      kilobytesEach: (after - before) / count / 1000,
      kilobytesEachWhenTold: (told - before) / count / 1000,
      idleShareOfCore: idle / (idleMilliseconds / 1000),
    };
  } finally {
    homes.leave();
    lists.leave();
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/** What authorizing gives an app. */
async function tokensOf({ ctx }: Lab, people: UserId[]): Promise<string[]> {
  const app = parseClientId("b".repeat(32)) as ClientId;
  const scopes = parseScopes("read") ?? new Set();
  return await Promise.all(
    people.map(async (user) => {
      const { token, location } = newToken({ app, user });
      await storeToken(ctx, location, { app, scopes });
      return token;
    }),
  );
}
