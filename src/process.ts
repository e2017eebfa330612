import type { Config } from "./config.ts";

/** Platforms kill 30 s after SIGTERM; better to end by ourselves before. */
const deadlineMilliseconds = 25_000;
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Ends the process by `close` on the first signal, at once on the second. Exit code 0 if all went well. */
export function endOnSignal(config: Config, close: () => Promise<void>): void {
  let ending = false;
  const end = () => {
    if (ending) process.exit(1);
    ending = true;
    setTimeout(() => process.exit(1), deadlineMilliseconds).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  for (const signal of signals) process.on(signal, end);
  if (config.underNpm) endWithParent(end);
}

/** Whoever kills npm (kill -9 reaches nobody else) means the site: it must not live on by itself. */
function endWithParent(end: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    end();
  }, 500);
  watch.unref();
}

/** Runs a process's main function; a failure is told in words and ends it with exit code 1. */
export function run(main: () => Promise<void>): void {
  main().catch(fail);
}

function fail(error: unknown): void {
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`suzume: ${words}\n`);
  process.exit(1);
}
