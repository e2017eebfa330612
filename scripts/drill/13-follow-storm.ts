import type { Ctx } from "../../src/context.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { follow } from "../../src/domain/actions/follow.ts";
import { keys } from "../../src/redis/keys.ts";
import { addressOf, Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { checkDoctor } from "./lab/doctor.ts";
import { deadLetters, inside, makePeople, password, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { inLanes } from "./lab/lanes.ts";

const followers = 10_000;
const stormers = 20;
/** Follows and unfollows of each stormer, in two tabs that know nothing of each other. */
const pressed = 30;

export const followStorm: Drill = {
  number: 13,
  name: "follow-storm",
  fault: `${followers.toLocaleString("en")} follows of one user at once; then ${stormers} users follow and unfollow, in two tabs`,
  passes: "mirrors exact",
  seconds: 180,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  // Ten thousand at once take their time: what is drilled is that they end, not how long it takes.
  report.answers.limit = 30_000;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  const elsewhere = await inside(lab, [redis.url]);
  const [star] = await makePeople(ctx, "star", 1);
  if (star === undefined) return;
  const crowd = (await makePeople(ctx, "fan", followers)).map(({ id }) => id);
  lab.say("the crowd is there");
  lab.worker(redis.url);
  const began = performance.now();
  const outcomes = await Promise.allSettled(
    crowd.map((follower, nth) =>
      follow(nth % 2 === 0 ? ctx : elsewhere, { follower, followee: star.id }),
    ),
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const done = outcomes.filter(({ status }) => status === "fulfilled").length;
  report.acknowledged += done;
  report.notes.push(`${done} of ${followers} follows were accepted within ${seconds} s`);
  await untilIdle(ctx, 120_000);
  const followed = crowd.filter((_, nth) => outcomes[nth]?.status === "fulfilled");
  await checkMirrors(lab, ctx, star.id, crowd, followed);

  await storm(lab, ctx, redis.url, star.name);
  await untilIdle(ctx, 60_000);
  await checkMirrors(lab, ctx, star.id, crowd, []);
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
  report.load = `${followers} follows at once, ${stormers * 2 * pressed} presses of a button`;
  await checkDoctor(lab, redis.url);
}

async function storm(lab: Lab, ctx: Ctx, redisUrl: string, star: string): Promise<void> {
  const { report } = lab;
  const webs = await Promise.all([lab.web(redisUrl), lab.web(redisUrl)]);
  const people = await makePeople(ctx, "storm", stormers);
  const pressing = people.flatMap(({ name }, nth) => {
    const tabs = webs.map((web) => new Browser(web, report.answers, addressOf(nth)));
    return [press(tabs, name, star)];
  });
  report.acknowledged += (await Promise.all(pressing)).reduce((sum, count) => sum + count, 0);
}

/** How many presses were acknowledged. */
async function press(tabs: Browser[], name: string, star: string): Promise<number> {
  const [first] = tabs;
  await first?.logIn(name, password);
  const counts = await inLanes(tabs, tabs.length, async (tab) => {
    if (first !== undefined) tab.adopt(first);
    let count = 0;
    for (let nth = 0; nth < pressed; nth += 1) {
      const verb = Math.random() < 0.5 ? "follow" : "unfollow";
      if ((await tab.post(`/@${star}/${verb}`)).status === 303) count += 1;
    }
    tab.close();
    return count;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Each follower follows, with the same stamp, and the other way round. */
async function checkMirrors(
  { report }: Lab,
  ctx: Ctx,
  star: UserId,
  crowd: UserId[],
  followed: UserId[],
): Promise<void> {
  const range = [keys.followers(star), 0, -1, "WITHSCORES"] as const;
  const flat = (await ctx.redis.call("zrange", ...range)) as string[];
  const mirror = new Map(
    Array.from({ length: flat.length / 2 }, (_, nth) => [flat[2 * nth], flat[2 * nth + 1]]),
  );
  const stamps = await inLanes(crowd, 200, async (id) => {
    return (await ctx.redis.zscore(keys.followings(id), star)) ?? undefined;
  });
  for (const [nth, id] of crowd.entries())
    report.expect(
      stamps[nth] === mirror.get(id),
      "the two ends of a follow disagree",
      `${id}: ${stamps[nth]} and ${mirror.get(id)}`,
    );
  const missing = followed.filter((id) => !mirror.has(id)).length;
  report.lost += missing;
  report.expect(missing === 0, "an acknowledged follow is lost");
}
