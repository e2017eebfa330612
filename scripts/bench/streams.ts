import { setTimeout as sleep } from "node:timers/promises";
import { follow } from "../../src/domain/actions/follow.ts";
import { parseScopes } from "../../src/domain/apps/scopes.ts";
import { storeToken, newToken } from "../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId, type UserId } from "../../src/domain/ids.ts";
import { at, Crowd, gaugeOf } from "./crowd.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { sessionOf } from "./session.ts";
import { logIn, type Running, startWeb, startWorker } from "./site.ts";

/** One in a hundred listeners follows the author for the few. */
const fewOf = 100;
const idleSeconds = 10;

interface Streams {
  wanted: number;
  path: string;
  /** What something new is called. */
  event: string;
  unit: string;
  /** The header that identifies a listener. */
  identify(user: UserId): Promise<Record<string, string>>;
}

/** Milliseconds from POST /tweets to the event on open pages: of a few of them, and of all at once. */
export async function live(lab: Lab) {
  const streams: Streams = {
    wanted: 5000,
    path: "/live?after=0",
    event: "home",
    unit: "ms from post to event (p99), told to 1 % : all",
    identify: async (user) => ({ cookie: await sessionOf(lab, user) }),
  };
  return await measure(lab, streams);
}

/** Milliseconds from POST /tweets to the status on the streams of apps: of a few, of all, and of the list of all. */
export async function streaming(lab: Lab) {
  const streams: Streams = {
    wanted: 2000,
    path: "/api/v1/streaming/user",
    event: "update",
    unit: "ms from post to status (p99), told to 1 % : all",
    identify: async (user) => ({ authorization: `Bearer ${await tokenOf(lab, user)}` }),
  };
  return await measure(lab, streams, async ({ web, crowd, open, kilobytesEach }) => {
    const kilobytesEachWhenTold = await kilobytesEach();
    crowd.leave();
    const lists = await open("/api/v1/streaming/public");
    const toLists = await lists.time(lab, await logIn(web, "author_2"), lists.size);
    return { publicP50: at(toLists, 0.5), publicP99: at(toLists, 0.99), kilobytesEachWhenTold };
  });
}

interface Scene {
  web: Running;
  /** All listeners on their streams. */
  crowd: Crowd;
  /** All of them on another one. */
  open(path: string): Promise<Crowd>;
  /** Memory that the web process has taken for each since none was open. */
  kilobytesEach(): Promise<number>;
}

async function measure(
  lab: Lab,
  { wanted, path, event, unit, identify }: Streams,
  further: (scene: Scene) => Promise<Record<string, number>> = async () => ({}),
) {
  await lab.clear();
  const count = Math.max(fewOf, Math.round(wanted * lab.scale));
  const listeners = await makePeople(lab, "listener", count);
  const [few, all] = (await makePeople(lab, "author", 3)) as [UserId, UserId];
  const identities: Record<string, string>[] = [];
  await each(lab, "follows", count, async (nth) => {
    const follower = listeners[nth] as UserId;
    await follow(lab.ctx, { follower, followee: all });
    if (nth % fewOf === 0) await follow(lab.ctx, { follower, followee: few });
    identities[nth] = await identify(follower);
  });
  const web = await startWeb(lab);
  const worker = await startWorker(lab);
  const crowds: Crowd[] = [];
  const open = async (to: string) => {
    const crowd = new Crowd(web, event);
    crowds.push(crowd);
    await each(lab, to, count, (nth) => crowd.join(to, identities[nth] ?? {}));
    await sleep(lab.seconds(3) * 1000);
    return crowd;
  };
  try {
    // A tweet to all would warm the process up for what is not measured.
    await logIn(web, "author_0");
    await sleep(lab.seconds(1) * 1000);
    const before = await gaugeOf(web, "process_resident_memory_bytes");
    const kilobytesEach = async () =>
      ((await gaugeOf(web, "process_resident_memory_bytes")) - before) / count / 1000;
    const crowd = await open(path);
    const kilobytesEachOpen = await kilobytesEach();
    const busy = await gaugeOf(web, "process_cpu_seconds_total");
    const idleFor = lab.seconds(idleSeconds);
    await sleep(idleFor * 1000);
    const idle = (await gaugeOf(web, "process_cpu_seconds_total")) - busy;
    const heardByFew = await logIn(web, "author_0");
    const toFew = await crowd.time(lab, heardByFew, Math.ceil(count / fewOf));
    const toAll = await crowd.time(lab, await logIn(web, "author_1"), count);
    return {
      ours: at(toFew, 0.99),
      limit: at(toAll, 0.99),
      ratio: at(toFew, 0.99) / at(toAll, 0.99),
      unit,
      streams: count,
      toFewP50: at(toFew, 0.5),
      toAllP50: at(toAll, 0.5),
      kilobytesEach: kilobytesEachOpen,
      idleShareOfCore: idle / idleFor,
      ...(await further({ web, crowd, open, kilobytesEach })),
    };
  } finally {
    for (const crowd of crowds) crowd.leave();
    await Promise.all([web.stop(), worker.stop()]);
  }
}

/** What authorizing gives an app. */
async function tokenOf({ ctx }: Lab, user: UserId): Promise<string> {
  const app = parseClientId("b".repeat(32)) as ClientId;
  const { token, location } = newToken({ app, user });
  await storeToken(ctx, location, { app, scopes: parseScopes("read") ?? new Set() });
  return token;
}
