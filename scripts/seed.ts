import { parseArgs } from "node:util";
import { Queue } from "bullmq";
import { boot } from "../src/boot.ts";
import { readConfig } from "../src/config.ts";
import { queuePrefix } from "../src/jobs/queue.ts";
import { startPrivateServer } from "../src/redis/private-server.ts";
import { demoPassword, seedDemo } from "./seed/demo.ts";
import { progressBar } from "./seed/progress.ts";

const usage = "npm run seed -- [--users 50] [--tweets 500] [--follows 10]";

/** A whole number from the command line; else the usage and the end. */
function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    process.stderr.write(`suzume: ${text} is no whole number. Usage: ${usage}\n`);
    process.exit(1);
  }
  return Number(text);
}

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "50" },
    tweets: { type: "string", default: "500" },
    follows: { type: "string", default: "10" },
  },
});
const wanted = {
  users: whole(values.users),
  tweets: whole(values.tweets),
  follows: whole(values.follows),
};

const config = readConfig();
const server =
  config.redisUrls.length > 0 ? undefined : await startPrivateServer({ dataDir: config.dataDir });
const address = server === undefined ? { urls: config.redisUrls } : { socket: server.socket };
const booted = await boot(config, address);
booted.work();

const names = await seedDemo(booted.ctx, wanted, progressBar);

const deliveries = new Queue("deliver", { connection: booted.ctx.redis, prefix: queuePrefix });
const left = () => deliveries.getJobCountByTypes("waiting", "active", "delayed");
const total = await left();
const tell = progressBar("delivering", total);
for (let now = total; now > 0; now = await left()) {
  tell(total - now);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
tell(total);
await deliveries.close();
await booted.close();
await server?.stop();

const someone = names[0];
if (someone !== undefined)
  process.stdout.write(`suzume: log in as ${someone} (or any other), password: ${demoPassword}\n`);
process.exit(0);
