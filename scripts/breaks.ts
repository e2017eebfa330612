import { spawnSync } from "node:child_process";
import { breaks } from "../test/privacy/breaks.ts";

/** `npm run test:breaks -- word`: takes out each check whose name has the word, one at a time; the proof must fail. */
const word = process.argv[2] ?? "";
const chosen = breaks.filter(({ name }) => name.includes(word));

/** What the proof says of a leak, and not the name of a test. */
const leaks =
  /\S+ (gets \S+ \(|gets a count|gets the |acts on a hidden tweet:|answered a hidden|retweeted a tweet|liked a hidden)[^"\n]*/;

/** Runs the proof with this share of its questions; returns what it says first, undefined if it finds nothing. */
function findsBreak(name: string, share: number): string | undefined {
  const { stdout, stderr, status } = spawnSync(
    "npx",
    ["vitest", "run", "--config", "vitest.breaks.config.ts", "--bail", "1"],
    {
      env: { ...process.env, PROPERTY_RUNS_FACTOR: String(share), BREAK: name, NO_COLOR: "1" },
      encoding: "utf8",
    },
  );
  // A break that ends the program is not one that the proof has found.
  const [first] = leaks.exec(stdout + stderr) ?? [];
  if (status !== 0 && first === undefined) process.stdout.write((stdout + stderr).slice(-3000));
  return status === 0 ? undefined : first?.trim();
}

const missed = chosen.filter(({ name }) => {
  const first = findsBreak(name, 0.2) ?? findsBreak(name, 1);
  process.stdout.write(
    `${first === undefined ? "NOT FOUND" : "found"}: ${name}\n  ${first ?? ""}\n`,
  );
  return first === undefined;
});
process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} breaks were found\n`);
process.exitCode = missed.length === 0 ? 0 : 1;
