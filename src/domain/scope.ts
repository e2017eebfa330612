import { AsyncLocalStorage } from "node:async_hooks";
import type { Recording } from "../redis/memory/recording.ts";

/** When a request is to be answered; set to passed once it was answered without its handler. */
export interface Deadline {
  passed: boolean;
  /** False for a request that only reads: its reads go through the memory. */
  writes: boolean;
  /** Pieces of work under way that are not to be hurried; see apart. */
  apart: number;
  /** When the last of them ended, by performance.now(). */
  apartEnded: number;
}

/** Under what something runs: a request, or a look at an open page. */
export interface Scope {
  deadline: Deadline;
  /** Of what is being made, if it may be kept. */
  recording: Recording | undefined;
  /** Redis itself is asked, and nothing of it is recorded. */
  isAside: boolean;
}

/** What follows from a piece of work finds its scope here, however late it runs. */
export const current = new AsyncLocalStorage<Scope>();
