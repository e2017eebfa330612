import type { Redis, RedisOptions } from "ioredis";
import { defineScripts } from "../redis-client.ts";

const channel = "__redis__:invalidate";
/** Max time for the answer to a PING; then the node is not trusted. */
const patienceMilliseconds = 1000;

/** A pair of connections to one node. It starts trusted and ends once; it never reconnects. */
export interface Link {
  /** Redis tells us when what was read on this connection changes. */
  reader: Redis;
  /** False once a change may have been missed. */
  isUp(): boolean;
  /** Resolves once every change made before the call has been reported, or the link has ended. Never rejects. */
  settle(): Promise<void>;
  end(): void;
}

interface LinkEvents {
  /** These keys have changed; undefined: any key may have. */
  onChange(keys: readonly Buffer[] | undefined): void;
  /** Called once, in the moment in which `isUp` becomes false. */
  onEnd(): void;
}

/**
 * ioredis drops what Redis pushes by RESP3, so both speak RESP2. Nothing is sent again: a command that
 * was cut off may have been read before tracking was on.
 */
const options: RedisOptions = {
  protocol: 2,
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResubscribe: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  reconnectOnError: null,
};

/** Opens a pair to the node of a client. Rejects if it cannot be reached or refuses tracking. */
export async function openLink(node: Redis, { onChange, onEnd }: LinkEvents): Promise<Link> {
  const listener = node.duplicate({ ...options, enableAutoPipelining: false });
  const reader = defineScripts(node.duplicate({ ...options, enableAutoPipelining: true }));
  const both = [listener, reader];
  let isUp = true;
  const waiting: (() => void)[] = [];
  const ended = new Promise<void>((resolve) => waiting.push(resolve));
  const end = () => {
    if (!isUp) return;
    isUp = false;
    for (const one of both) one.disconnect();
    for (const resolve of waiting) resolve();
    onEnd();
  };
  for (const one of both) one.on("error", () => {}).on("close", end);
  listener.on("messageBuffer", (_: Buffer, keys: Buffer[] | null) => onChange(keys ?? undefined));
  try {
    await Promise.all(both.map((one) => one.connect()));
    const id = await listener.client("ID");
    await listener.subscribe(channel);
    await reader.client("TRACKING", "ON", "REDIRECT", id);
  } catch (error) {
    end();
    throw error;
  }
  return {
    reader,
    isUp: () => isUp,
    async settle() {
      if (!isUp) return;
      // The listener's messages arrive in order. If the reader is closed, Redis forgets its reads; if it gives another
      // answer, its replies are out of step with its commands.
      const answered = Promise.all([reader.ping(), listener.ping()]).then(
        ([pong]) => pong === "PONG",
      );
      if (!(await inTime(Promise.race([answered, ended.then(() => true)])))) end();
    },
    end,
  };
}

/** False if it rejects or is late. After a blocked event loop, sockets are read before the timeout counts. */
async function inTime(answered: Promise<boolean>): Promise<boolean> {
  return await new Promise((resolve) => {
    const late = () => setImmediate(() => resolve(false));
    const timer = setTimeout(late, patienceMilliseconds);
    const tell = (answer: boolean) => {
      clearTimeout(timer);
      resolve(answer);
    };
    answered.then(tell, () => tell(false));
  });
}
