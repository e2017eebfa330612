/** What a node answers that cannot serve, or not this client; MOVED reaches us where no cluster was expected. */
const refusals =
  /^(OOM|MISCONF|LOADING|CLUSTERDOWN|READONLY|MASTERDOWN|NOREPLICAS|TRYAGAIN|BUSY|MOVED|ASK|NOAUTH|WRONGPASS|NOPERM)\b|^ERR max number of clients/;

/** How the client says that no answer came, or that there is nobody to ask. */
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

/** Of these, that its memory is full: it takes nothing more, but gives and forgets. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("OOM");
}

/** True for errors that mean "Redis cannot do this now", as against a defect in what it was asked. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A transaction's own error does not say why its commands were refused; these do.
  if ("previousErrors" in error && Array.isArray(error.previousErrors))
    return error.previousErrors.some(isOutage);
  return (
    refusals.test(error.message) || brokenConnections.test(error.message) || isUnservedSlot(error)
  );
}

/**
 * For what a read does by the way: a repair, a renewal, a mark. Where Redis refuses it, the read goes on
 * without.
 */
export async function bestEffort(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/** What ioredis throws when it looks for the nodes of a slot that none serves. */
function isUnservedSlot(error: Error): boolean {
  return (
    error instanceof TypeError &&
    error.message.includes("reading 'join'") &&
    error.stack?.includes("autoPipelining") === true
  );
}
