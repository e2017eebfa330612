import { tweetId } from "../../src/domain/ids.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import { sealStep } from "../../src/domain/search/seal-tweets.ts";
import { keys } from "../../src/redis/keys.ts";
import { openLab, each } from "./lab.ts";
import { sayings } from "./sayings.ts";
const lab = await openLab(1, console.log);
const texts = sayings("japanese", 4200);
await each(lab, "t", 4200, async (n) => { await createTweet(lab.ctx, { id: tweetId(n + 1), author: "1" as never, text: texts[n] as string, createdAt: 1e15 + n * 1e6 }); });
await lab.ctx.redis.set(keys.tweetIds, 4200);
for (let k = 0; k < 2; k++) {
const c0 = process.cpuUsage(), t0 = performance.now();
const r0 = await lab.ctx.redis.info("cpu");
await sealStep(lab.ctx);
const c = process.cpuUsage(c0);
const f = (s: string) => Number(/used_cpu_user:([\d.]+)/.exec(s)?.[1]);
console.log("step", performance.now() - t0, "cpu ms", (c.user + c.system) / 1000, "redis ms", 1000 * (f(await lab.ctx.redis.info("cpu")) - f(r0)));
}
await lab.close();
