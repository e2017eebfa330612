import type { Cluster, Redis } from "ioredis";

/** One Redis or a cluster; most code works with both. */
export type RedisClient = Redis | Cluster;
