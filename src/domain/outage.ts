import { Unavailable } from "./errors.ts";

/** Replies of a node that cannot serve, or not this client; MOVED if Redis is unexpectedly a cluster. */
const refusals =
  /^(OOM|MISCONF|LOADING|CLUSTERDOWN|READONLY|MASTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|MOVED|ASK|NOAUTH|WRONGPASS|NOPERM)\b|^ERR max number of clients/;

/** Messages of ioredis if there is no answer or no connection. */
const brokenConnections = new RegExp(
  [
    "Command timed out",
    "Socket timeout",
    "Connection is (closed|aborted|discarded)",
    "aborted due to connection close",
    "Stream isn't writeable",
    "max retries per request",
    "ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN",
    "Cluster (isn't ready|is disconnect(ed|ing)|is ended)",
    "Too many Cluster redirections",
    "Failed to refresh slots",
    "None of startup nodes",
    "Node is disconnected",
    "same slots allocation group",
  ].join("|"),
  "i",
);

/** Redis is full: it refuses new data, but reads and deletes. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("OOM");
}

/** Whether the error means "Redis, or the storage of pictures, cannot do this now", and not a defect. */
export function isOutage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof Unavailable) return true;
  // The error of a transaction does not tell why its commands were refused; these do.
  if ("previousErrors" in error && Array.isArray(error.previousErrors))
    return error.previousErrors.some(isOutage);
  return (
    refusals.test(error.message) || brokenConnections.test(error.message) || isUnservedSlot(error)
  );
}

/** For repairs, renewals and marks during a read. If Redis refuses one, the read continues without it. */
export async function bestEffort(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/** Thrown by ioredis for a slot that no node serves. */
function isUnservedSlot(error: Error): boolean {
  return (
    error instanceof TypeError &&
    error.message.includes("reading 'join'") &&
    error.stack?.includes("autoPipelining") === true
  );
}
