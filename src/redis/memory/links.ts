import calculateSlot from "cluster-key-slot";
import { Cluster, type Redis } from "ioredis";
import type { RedisClient } from "../redis-client.ts";
import { type Link, openLink } from "./link.ts";

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
  readonly #drop = () => this.#endAll();
  /** Owner of each slot at the last look. */
  #owners: (string | undefined)[] = [];
  /** The former owner of a slot no longer reports its changes. */
  readonly #compare = () => {
    const owners = (this.#redis as Cluster).slots.map(([owner]) => owner);
    const moved = owners.some((owner, slot) => owner !== this.#owners[slot]);
    this.#owners = owners;
    if (moved) this.#events.onChange(undefined);
  };
  #refusedUntil = 0;
  #isClosed = false;

  constructor(redis: RedisClient, events: LinksEvents) {
    this.#redis = redis;
    this.#events = events;
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
    try {
      const link = await openLink(node, {
        onChange: (keys) => {
          if (keys === undefined) this.#events.onChange(undefined);
          else for (const key of keys) this.#events.onChange(key.toString());
        },
        onEnd: () => {
          if (this.#links.get(name) === "opening") return;
          this.#links.delete(name);
          this.#events.onChange(undefined);
          setImmediate(this.#tend);
        },
      });
      this.#links.set(name, link);
      if (!link.isUp()) this.#links.delete(name);
      if (this.#isClosed) link.end();
    } catch (error) {
      this.#links.delete(name);
      if (error instanceof Error && isRefusal(error)) {
        this.#refusedUntil = performance.now() + refusedMilliseconds;
        this.#events.onRefused(error);
      }
    }
  }
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
