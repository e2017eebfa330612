import type { Drill } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { checkAll } from "./lab/verdict.ts";

const rounds = 3;

/** What the web process still does after it has answered must not matter. */
export const killedAfterTheAnswer: Drill = {
  number: 4,
  name: "killed-after-the-answer",
  fault: "kill -9 web just after the 303",
  passes: "the tweet is there, its fan-out is complete",
  seconds: 110,
  quick: true,
  run,
};

async function run(lab: Lab): Promise<void> {
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  let web = await lab.web(redis.url);
  const door = { url: web.url };
  const load = await Load.prepare(lab, door, ctx, { users: 12, following: 11 });
  lab.report.load = `${rounds} rounds: each of 12 users posts; at the first 303 the process is killed`;
  lab.report.answers.tolerated.add("reset").add("refused");
  for (let round = 0; round < rounds; round += 1) {
    const doomed = web.process;
    const posts = load.users.map(async (user) => {
      const sent = await user.post();
      if (sent.acknowledgedAt !== undefined) doomed.signal("SIGKILL");
    });
    await doomed.ended();
    // Meanwhile some of the users send their refused forms again, nonce and all.
    web = await lab.web(redis.url);
    door.url = web.url;
    await Promise.all(posts);
  }
  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}
