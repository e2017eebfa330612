import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Drill, NotRun, type Row, type Verdict } from "./drill.ts";
import { Lab } from "./lab.ts";
import { rowOf } from "./row.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs one drill in a lab of its own; whatever happens, its processes and its folder are gone after. */
export async function runDrill(drill: Drill, say: (line: string) => void): Promise<Row> {
  const lab = await Lab.open(say);
  let closing: Promise<void> | undefined;
  // A wrapper passes on a signal that was sent to both: the second one is not to end us before all is cleared up.
  const interrupted = () => {
    closing ??= lab.close().finally(() => process.exit(130));
  };
  for (const signal of signals) process.on(signal, interrupted);
  const began = performance.now();
  let verdict: Verdict = "failed";
  try {
    await orTooLate(drill, lab);
    await lab.tellCrashes();
    verdict = lab.report.problems.length === 0 ? "passed" : "failed";
  } catch (error) {
    lab.report.problem(error instanceof Error ? error.message : String(error));
    await lab.tellCrashes();
    if (error instanceof NotRun) verdict = "not run";
    else if (error instanceof Error) say(error.stack ?? "");
  }
  if (verdict === "failed") await tellLogs(lab);
  const seconds = (performance.now() - began) / 1000;
  await lab.close();
  for (const signal of signals) process.off(signal, interrupted);
  return rowOf(drill, lab.report, verdict, seconds);
}

/** What still runs after the time is up meets a closed lab: it fails, and that is ignored. */
async function orTooLate(drill: Drill, lab: Lab): Promise<void> {
  const running = drill.run(lab);
  running.catch(() => {});
  const late = sleep(drill.seconds * 1000, "late", { signal: lab.ended });
  late.catch(() => {});
  if ((await Promise.race([running, late])) === "late")
    throw new Error(`it took longer than ${drill.seconds} s`);
}

/** The first errors that the processes told of, and how their logs end: why a drill could not go on. */
async function tellLogs(lab: Lab): Promise<void> {
  for (const name of await readdir(lab.folder).catch(() => [])) {
    if (!name.endsWith(".log")) continue;
    const text = (await readFile(join(lab.folder, name), "utf8").catch(() => "")).trim();
    const errors = text.split("\n").filter((line) => line.includes('"level":50'));
    for (const line of errors.slice(0, 5)) lab.say(`${name}: ${line.slice(0, 1500)}`);
    if (text !== "") lab.say(`${name} ends: ${text.slice(-600)}`);
  }
}
