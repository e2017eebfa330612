import { Proxy } from "./faults/proxy.ts";
import type { Drill } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { untilWell } from "./lab/recovery.ts";
import { checkAll } from "./lab/verdict.ts";

const faultMilliseconds = 10_000;
const allowed = 5000;

/** Redis is there, and says nothing, or says it late. */
export const silentRedis: Drill = {
  number: 6,
  name: "silent-redis",
  fault: "Redis frozen 10 s; replies 1 s late; connections that go silent",
  passes: "each answer ≤ 3 s; recovered ≤ 5 s",
  seconds: 180,
  run,
};

async function run(lab: Lab): Promise<void> {
  const redis = await lab.redis();
  const proxy = await Proxy.before(redis.port);
  lab.onClose(() => proxy.close());
  const ctx = await inside(lab, [redis.url]);
  lab.worker(proxy.url);
  const web = await lab.web(proxy.url);
  const load = await Load.prepare(lab, web, ctx);
  load.start();
  await load.during(3000);

  const recovered = async (from: string) => {
    const { written, delivered } = await untilWell(lab, load);
    lab.report.notes.push(
      `${from}: written after ${show(written)}, at home after ${show(delivered)}`,
    );
    lab.report.recovered(delivered, allowed);
    await load.during(3000);
  };

  lab.say("frozen");
  redis.process?.signal("SIGSTOP");
  await load.during(faultMilliseconds);
  redis.process?.signal("SIGCONT");
  await recovered("frozen");

  lab.say("late");
  proxy.delay = 1000;
  await load.during(faultMilliseconds);
  proxy.delay = 0;
  await recovered("late");

  lab.say("silent connections");
  proxy.loseConnections();
  await recovered("silent connections");

  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}

function show(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
