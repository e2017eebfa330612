import { setTimeout as sleep } from "node:timers/promises";
import type { Queue } from "bullmq";
import calculateSlot from "cluster-key-slot";
import type { TweetId } from "../../src/domain/ids.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { keys } from "../../src/redis/keys.ts";
import { startCluster } from "../../test/support/world/cluster.ts";
import { countReached, countStored, crowdSettings, makeStar, progressOf } from "./lab/crowd.ts";
import type { Drill } from "./lab/drill.ts";
import { deadLetters, inside, openQueue, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";

const followers = 120_000;
/** Each goes to all followers: what one of them takes is over before a node is added. */
const songs = 10;
const batchSize = 10;
const slotsAtLeast = 50;
const slotsAtMost = 300;
/** A prime: one slot after the other, from all nodes in turn. */
const apart = 4099;
const slots = 16_384;
const newNode = 3;

/** A host makes the cluster larger, and smaller again, while it is in use. */
export const slotsAreMoved: Drill = {
  number: 10,
  name: "slots-moved",
  fault: "a node added, slots moved to it, that of the followers first, and back, during a fan-out",
  passes: "all delivered",
  seconds: 150,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const cluster = await startCluster();
  lab.onClose(() => cluster.stop());
  const redisUrl = cluster.urls.join(",");
  const ctx = await inside(lab, cluster.urls, crowdSettings);
  const web = await lab.web(redisUrl);
  const load = await Load.prepare(lab, web, ctx, { users: 8 });
  const spreads = openQueue(lab, ctx, "spread");
  const { star, crowd } = await makeStar(lab, ctx, followers);
  load.start();
  const tweets: TweetId[] = [];
  for (let nth = 1; nth <= songs; nth += 1)
    tweets.push(await postTweet(ctx, star, { text: `drill star sings ${nth}` }));
  report.acknowledged = followers * songs;
  lab.worker(redisUrl, { env: crowdSettings });
  const hasBegun = async () => {
    const reached = await Promise.all(tweets.map((tweet) => progressOf(spreads, tweet)));
    return reached.some((count) => count > 0);
  };
  while (!(await hasBegun())) await sleep(20, undefined, { signal: lab.ended });
  lab.say("the fan-out has begun");

  await cluster.addNode();
  const moved = [calculateSlot(keys.followers(star))];
  await cluster.moveSlots(moved, newNode);
  while (moved.length < slotsAtMost && (await isUnderWay(spreads))) {
    const batch = Array.from(
      { length: batchSize },
      (_, nth) => ((moved.length + nth) * apart) % slots,
    );
    await cluster.moveSlots(batch, newNode);
    moved.push(...batch);
  }
  let back = 0;
  // A node without slots would become a replica.
  while (back + batchSize < moved.length && (await isUnderWay(spreads))) {
    await cluster.moveSlots(moved.slice(back, back + batchSize), 0);
    back += batchSize;
  }
  report.notes.push(`${moved.length} slots moved, ${back} moved back`);
  report.expect(moved.length >= slotsAtLeast, "the fan-out was over before the slots were moved");

  await load.during(2000);
  await load.stop();
  await untilIdle(ctx, 90_000);
  let reached = 0;
  for (const tweet of tweets) reached += await countReached(ctx, crowd, tweet);
  report.lost = followers * songs - reached;
  report.duplicated = (await countStored(ctx, crowd)) - reached;
  report.expect(report.lost === 0, "some lack a tweet");
  report.expect(report.duplicated === 0, "some have more than the tweets");
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
}

/** A fan-out that is done has no job any more. */
async function isUnderWay(spreads: Queue): Promise<boolean> {
  const counts = await spreads.getJobCounts("active", "waiting", "delayed");
  return Object.values(counts).some((count) => count > 0);
}
