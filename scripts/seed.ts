import { parseArgs } from "node:util";
import type { Booted } from "../src/boot.ts";
import { readConfig } from "../src/config.ts";
import { run } from "../src/process.ts";
import { demoPassword, seedDemo, type Wanted } from "./seed/demo.ts";
import { progressBar } from "./seed/progress.ts";
import { allDelivered, withSite } from "./seed/site.ts";

const usage = "Usage: npm run seed -- [--users 50] [--tweets 500] [--follows 10]";
const twoWeeks = 14 * 24;

/** `npm run seed`: demo users, follows and tweets, in the Redis that the site uses. */
run(async () => {
  const wanted = readArguments();
  // Demo users write in a minute what others write in weeks.
  const config = { ...readConfig(), limitFactor: 1_000_000 };
  await withSite(config, (booted) => seed(booted, wanted));
  process.exit(0);
});

async function seed(booted: Booted, wanted: Wanted): Promise<void> {
  booted.work();
  const { users } = await seedDemo(booted.ctx, wanted, progressBar);
  let tell: ReturnType<typeof progressBar> | undefined;
  let total = 0;
  await allDelivered(booted, (left) => {
    total = Math.max(total, left);
    tell ??= progressBar("delivering", total);
    tell(total - left);
  });
  const [first] = users;
  if (first !== undefined)
    process.stdout.write(
      `suzume: log in as ${first.name} (or any other), password: ${demoPassword}\n`,
    );
}

/** Throws, with the usage, at other arguments. */
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
    return { users: whole(users), tweets: whole(tweets), follows: whole(follows), hours: twoWeeks };
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
