import calculateSlot from "cluster-key-slot";
import { Cluster, type Redis, type RedisOptions } from "ioredis";
import { defineSome, type RedisClient } from "../redis-client.ts";
import { readCommands } from "./question.ts";

/** Interval of testing links and opening missing ones. */
const everyMilliseconds = 1000;
/** A server that refused tracking is asked again after this time. */
const refusedMilliseconds = 60_000;

interface LinksEvents {
  /** This key has changed; undefined: any may have. */
  onChange(key: string | undefined): void;
  onRefused(error: Error): void;
  /** Once a second. */
  onBeat(): void;
}

/** One link to each primary that the client knows; links come and go with the client's own connections. */
export class Links {
  readonly #redis: RedisClient;
  readonly #events: LinksEvents;
  readonly #links = new Map<string, Link | "opening">();
  readonly #timer: NodeJS.Timeout;
  readonly #tend = () => this.#tendAll();
  /** A lost primary may come back as a lagging replica, so nothing that was read before is kept. */
  readonly #drop = () => {
    this.#drops += 1;
    this.#endAll();
  };
  /** How often the client has lost its connection. */
  #drops = 0;
  /** Owner of each slot at the last look. */
  #owners: (string | undefined)[];
  /** The former owner of a slot no longer reports its changes. */
  readonly #compare = () => {
    const owners = ownersOf(this.#redis);
    const moved = owners.some((owner, slot) => owner !== this.#owners[slot]);
    this.#owners = owners;
    if (moved) this.#events.onChange(undefined);
  };
  #refusedUntil = 0;
  #isClosed = false;

  constructor(redis: RedisClient, events: LinksEvents) {
    this.#redis = redis;
    this.#events = events;
    this.#owners = ownersOf(redis);
    const beat = () => {
      this.#tendAll();
      void this.settle();
      events.onBeat();
    };
    this.#timer = setInterval(beat, everyMilliseconds).unref();
    for (const event of ["ready", "+node", "-node"]) redis.on(event, this.#tend);
    redis.on("close", this.#drop);
    if (redis instanceof Cluster) redis.on("refresh", this.#compare);
    this.#tendAll();
  }

  /** The link to the node that serves the key; undefined if its reads are not tracked. */
  linkFor(key: string): Link | undefined {
    if (!(this.#redis instanceof Cluster)) return this.#upLink("");
    return this.#upLink(this.#redis.slots[calculateSlot(key)]?.[0] ?? "");
  }

  /** Whether reads of all keys are tracked. */
  isWhole(): boolean {
    const nodes = nodesOf(this.#redis);
    return nodes.size > 0 && [...nodes.keys()].every((name) => this.#upLink(name) !== undefined);
  }

  /** See Link.settle. */
  async settle(): Promise<void> {
    const links = [...this.#links.keys()].flatMap((name) => this.#upLink(name) ?? []);
    await Promise.all(links.map((link) => link.settle()));
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const event of ["ready", "+node", "-node"]) this.#redis.off(event, this.#tend);
    this.#redis.off("close", this.#drop);
    this.#redis.off("refresh", this.#compare);
    this.#endAll();
  }

  #upLink(name: string): Link | undefined {
    const link = this.#links.get(name);
    return link === "opening" || link?.isUp() !== true ? undefined : link;
  }

  #endAll(): void {
    for (const name of this.#links.keys()) this.#upLink(name)?.end();
  }

  #tendAll(): void {
    if (this.#isClosed) return;
    const nodes = nodesOf(this.#redis);
    for (const name of this.#links.keys()) if (!nodes.has(name)) this.#upLink(name)?.end();
    if (performance.now() < this.#refusedUntil) return;
    for (const [name, node] of nodes) if (!this.#links.has(name)) void this.#open(name, node);
  }

  async #open(name: string, node: Redis): Promise<void> {
    this.#links.set(name, "opening");
    const drops = this.#drops;
    try {
      const link = await openLink(node, {
        onChange: (key) => this.#events.onChange(key),
        onEnd: () => {
          if (this.#links.get(name) === "opening") return;
          this.#links.delete(name);
          this.#events.onChange(undefined);
          setImmediate(this.#tend);
        },
      });
      this.#links.set(name, link);
      if (!link.isUp()) this.#links.delete(name);
      // The client may have gone to another server while this link was opened.
      if (this.#isClosed || drops !== this.#drops) link.end();
    } catch (error) {
      this.#links.delete(name);
      if (error instanceof Error && isRefusal(error)) {
        this.#refusedUntil = performance.now() + refusedMilliseconds;
        this.#events.onRefused(error);
      }
    }
  }
}

function ownersOf(redis: RedisClient): (string | undefined)[] {
  return redis instanceof Cluster ? redis.slots.map(([owner]) => owner) : [];
}

/** Redis does not know the command or forbids it; any other error may be temporary. */
function isRefusal(error: Error): boolean {
  return error.name === "ReplyError" && /^(ERR|NOPERM)\b/.test(error.message);
}

/** The primaries that answer, by the name that the client's table of slots has for them. */
function nodesOf(redis: RedisClient): Map<string, Redis> {
  if (redis.status !== "ready") return new Map();
  if (!(redis instanceof Cluster)) return new Map([["", redis]]);
  return new Map(
    redis.nodes("master").map((node) => [`${node.options.host}:${node.options.port}`, node]),
  );
}

const channel = "__redis__:invalidate";
/** Max time for the answer to a PING; then the node is not trusted. */
const patienceMilliseconds = 1000;

/** A pair of connections to one node. It starts trusted and ends once; it never reconnects. */
export type Link = Awaited<ReturnType<typeof openLink>>;

interface LinkEvents extends Pick<LinksEvents, "onChange"> {
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
async function openLink(node: Redis, { onChange, onEnd }: LinkEvents) {
  const listener = node.duplicate({ ...options, enableAutoPipelining: false });
  const reader = node.duplicate({ ...options, enableAutoPipelining: true });
  defineSome(reader, readCommands);
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
  listener.on("messageBuffer", (_: Buffer, keys: Buffer[] | null) => {
    for (const key of keys ?? [undefined]) onChange(key?.toString());
  });
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
    /** Redis tells us when what was read on this connection changes. */
    reader,
    /** False once a change may have been missed. */
    isUp: () => isUp,
    /** Resolves once every change made before the call has been reported, or the link has ended. Never rejects. */
    async settle() {
      if (!isUp) return;
      // The listener's messages arrive in order. If the reader is closed, Redis forgets its reads; if it gives another
      // answer, its replies are out of step with its commands.
      const pings = Promise.all([reader.ping(), listener.ping()]);
      const answered = pings.then(([pong]) => pong === "PONG");
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
    const answer = answered.catch(() => false);
    void answer.then(resolve).finally(() => clearTimeout(timer));
  });
}
