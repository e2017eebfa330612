import type { RedisClient } from "./redis-client.ts";
import { problemsOf, describeError } from "./condition.ts";

/** Interval of checks without a caller. */
const everyMilliseconds = 10_000;

/** Watches the Redis of a process. */
export interface Guard {
  /** Current problems in words; empty if there is none. Concurrent callers share one check. */
  look(): Promise<string[]>;
  /** True while Redis would drop data when it is full: then nothing must be written to it. */
  refusesWrites(): boolean;
  /** Resolves when there is no problem for the first time. */
  well: Promise<void>;
  stop(): void;
}

interface Watch {
  /** Its address, without secrets. */
  address: string;
  /** Rejects if no work can be promised. */
  promises(): Promise<void>;
  /** Called when the problems have changed. */
  onChange(troubles: string[]): void;
}

/** Checks when the client is ready again, when it finds another node, and at intervals. */
export function guard(client: RedisClient, { address, promises, onChange }: Watch): Guard {
  let looking: Promise<string[]> | undefined;
  let known = "";
  let drops = false;
  let lastError: unknown;
  const waiting: (() => void)[] = [];
  const well = new Promise<void>((resolve) => waiting.push(resolve));

  const find = async (): Promise<string[]> => {
    // The error of a command would not tell why there is no connection.
    if (client.status !== "ready")
      return [describeError(lastError ?? new Error("is closed"), address)];
    const troubles = await problemsOf(client);
    if (troubles.length > 0) return troubles;
    return await promises().then(
      () => [],
      (error: unknown) => [`the job queue: ${describeError(error, address)}`],
    );
  };
  const look = async () => {
    const troubles = await find();
    if (client.status === "ready") drops = troubles.some((one) => one.includes("maxmemory-policy"));
    if (troubles.join() !== known) onChange(troubles);
    known = troubles.join();
    if (troubles.length === 0) for (const resolve of waiting.splice(0)) resolve();
    return troubles;
  };
  const once = () =>
    (looking ??= look().finally(() => {
      looking = undefined;
    }));
  const again = () => void once();
  const remember = (error: unknown) => (lastError = error);
  const timer = setInterval(again, everyMilliseconds).unref();
  for (const event of ["ready", "+node"]) client.on(event, again);
  for (const event of ["error", "node error"]) client.on(event, remember);
  return {
    look: once,
    refusesWrites: () => drops,
    well,
    stop() {
      clearInterval(timer);
      for (const event of ["ready", "+node"]) client.off(event, again);
    },
  };
}
