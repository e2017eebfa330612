import { AsyncLocalStorage } from "node:async_hooks";
import type { Recording } from "../redis/memory/recording.ts";

/** Deadline of a request; set to passed after a response without its handler. */
export interface Deadline {
  passed: boolean;
  /** False for a request that only reads: its reads go through the memory. */
  writes: boolean;
  /** Number of running tasks that stop the clock; see apart. */
  apart: number;
  /** When the last of them ended, by performance.now(). */
  apartEnded: number;
}

/** The scope of running code: a request, or a refresh of an open page. */
export interface Scope {
  deadline: Deadline;
  /** Records what is being made, if it may be kept. */
  recording: Recording | undefined;
  /** Reads go to Redis itself and are not recorded. */
  isAside: boolean;
}

/** Code that is started in a scope finds it here, however late it runs. */
export const current = new AsyncLocalStorage<Scope>();
