import type { RedisClient } from "./redis-client.ts";
import { troublesOf } from "./condition.ts";
import { inWords } from "./words.ts";

/** How often Redis is looked at while nobody asks. */
const everyMilliseconds = 10_000;

/** Watches the Redis of a process. */
export interface Guard {
  /** What does not work just now, in words; empty if all is well. Looks once for all who ask at a time. */
  look(): Promise<string[]>;
  /** True while Redis would drop data when its memory is full: nothing is to be entrusted to it. */
  refusesWrites(): boolean;
  /** Resolves once all is well for the first time. */
  well: Promise<void>;
  stop(): void;
}

interface Watch {
  /** Its address, as people may see it. */
  place: string;
  /** Rejects where no work can be promised. */
  promises(): Promise<void>;
  /** NotificationItem what was found, if it is not what was found before. */
  onChange(troubles: string[]): void;
}

/** Looks whenever the client is ready anew or meets another node, and now and then. */
export function guard(client: RedisClient, { place, promises, onChange }: Watch): Guard {
  let looking: Promise<string[]> | undefined;
  let known = "";
  let drops = false;
  let lastError: unknown;
  const waiting: (() => void)[] = [];
  const well = new Promise<void>((resolve) => waiting.push(resolve));

  const find = async (): Promise<string[]> => {
    // A command's own error would not say why there is no connection.
    if (client.status !== "ready") return [inWords(lastError ?? new Error("is closed"), place)];
    const troubles = await troublesOf(client);
    if (troubles.length > 0) return troubles;
    return await promises().then(
      () => [],
      (error: unknown) => [`the job queue: ${inWords(error, place)}`],
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
