import { parseArgs } from "node:util";
import { boot, type Booted } from "../src/boot.ts";
import { readConfig } from "../src/config.ts";
import { run } from "../src/process.ts";
import { startPrivateServer } from "../src/redis/private-server.ts";
import { demoPassword, seedDemo, type Wanted } from "./seed/demo.ts";
import { progressBar } from "./seed/progress.ts";

const usage = "Usage: npm run seed -- [--users 50] [--tweets 500] [--follows 10]";

/** `npm run seed`: demo people, follows and tweets, in the Redis that the site uses. */
run(async () => {
  const wanted = readArguments();
  // Demo people write in a minute what people write in weeks.
  const config = { ...readConfig(), limitFactor: 1_000_000 };
  const server =
    config.redisUrls.length > 0 ? undefined : await startPrivateServer({ dataDir: config.dataDir });
  try {
    const address = server === undefined ? { urls: config.redisUrls } : { socket: server.socket };
    const booted = await boot(config, address);
    try {
      await seed(booted, wanted);
    } finally {
      await booted.close();
    }
  } finally {
    await server?.stop();
  }
  process.exit(0);
});

async function seed(booted: Booted, wanted: Wanted): Promise<void> {
  booted.work();
  const [someone] = await seedDemo(booted.ctx, wanted, progressBar);
  const total = await undelivered(booted);
  const tell = progressBar("delivering", total);
  for (let left = total; left > 0; left = await undelivered(booted)) {
    tell(Math.max(0, total - left));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  tell(total);
  if (someone !== undefined)
    process.stdout.write(
      `suzume: log in as ${someone} (or any other), password: ${demoPassword}\n`,
    );
}

async function undelivered({ ctx }: Booted): Promise<number> {
  const counts = await ctx.jobs.counts();
  return counts
    .filter(({ queue, state }) => queue !== "chores" && state !== "failed")
    .reduce((sum, { count }) => sum + count, 0);
}

/** Throws, with the usage, at whatever else was typed. */
function readArguments(): Wanted {
  try {
    const { values } = parseArgs({
      options: {
        users: { type: "string", default: "50" },
        tweets: { type: "string", default: "500" },
        follows: { type: "string", default: "10" },
      },
    });
    const { users, tweets, follows } = values;
    return { users: whole(users), tweets: whole(tweets), follows: whole(follows) };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`, {
      cause: error,
    });
  }
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new TypeError(`${text} is no whole number.`);
  return Number(text);
}
