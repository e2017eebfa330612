import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { editTweet } from "../../src/domain/actions/edit-tweet.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { countReached, countStored, crowdSettings, makeStar, progressOf } from "./lab/crowd.ts";
import type { Drill } from "./lab/drill.ts";
import { checkEdits } from "./lab/edits.ts";
import {
  deadLetters,
  inside,
  makePeople,
  openQueue,
  type Person,
  untilIdle,
} from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Ledger } from "./lab/ledger.ts";

const followers = 200_000;
/** Of the followers, when a worker is killed. */
const shares = [0.1, 0.35, 0.6];
const allowed = 60_000;
/** Other tweets, each edited while a worker delivers it. */
const editsOfARound = 40;

export const workerKilled: Drill = {
  number: 2,
  name: "worker-killed",
  fault: `kill -9 worker in the middle of ${followers.toLocaleString("en")} deliveries, ${shares.length} times`,
  passes: "all delivered exactly once, ≤ 60 s after the last kill; edited tweets whole",
  seconds: 240,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url], crowdSettings);
  const spreads = openQueue(lab, ctx, "spread");
  const { star, crowd } = await makeStar(lab, ctx, followers);
  const tweet = await postTweet(ctx, star, { text: "drill star sings" });
  report.acknowledged = crowd.length;
  report.load = `one tweet to ${followers.toLocaleString("en")} followers, and edits of others`;
  const ledger = new Ledger();
  const [writer] = (await makePeople(ctx, "writer", 1)) as [Person];
  let killedAt = 0;
  for (const share of shares) {
    const worker = lab.worker(redis.url, { env: crowdSettings });
    const writing = writeAndEdit(ctx, writer, ledger);
    while ((await progressOf(spreads, tweet)) < share * followers)
      await sleep(20, undefined, { signal: lab.ended });
    await worker.process.kill();
    await writing;
    killedAt = performance.now();
    const reached = await countReached(ctx, crowd, tweet);
    lab.say(`killed when ${reached} had the tweet`);
    report.expect(reached < crowd.length, "the fan-out was over before the kill");
  }
  lab.worker(redis.url, { env: crowdSettings });
  await untilIdle(ctx, 150_000);
  report.recovered(performance.now() - killedAt, allowed);
  report.lost = crowd.length - (await countReached(ctx, crowd, tweet));
  report.duplicated = (await countStored(ctx, crowd)) - crowd.length + report.lost;
  report.expect(report.lost === 0, "some lack the tweet");
  report.expect(report.duplicated === 0, "some have more than the tweet");
  report.expect((await deadLetters(ctx)) === 0, "a job became a dead letter");
  await checkEdits(lab, ctx, ledger.tweets);
}

/** Posts tweets, and edits each while it is delivered. */
async function writeAndEdit(ctx: Ctx, { id, name }: Person, ledger: Ledger): Promise<void> {
  for (let nth = 0; nth < editsOfARound; nth += 1) {
    const sent = ledger.sent(name, ledger.freshText(name));
    const tweet = await postTweet(ctx, id, { text: sent.text });
    const edit = ledger.edit(sent);
    await editTweet(ctx, id, tweet, { text: edit.text, pictures: [], sensitive: false });
    ledger.editAnswered(sent, edit, "acknowledged");
  }
}
