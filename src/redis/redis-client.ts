import type { Cluster, Redis } from "ioredis";

/** One Redis or a cluster; most code does not care which. */
export type RedisClient = Redis | Cluster;
