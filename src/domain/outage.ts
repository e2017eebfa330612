const refusals =
  /^(OOM|MISCONF|LOADING|CLUSTERDOWN|READONLY|MASTERDOWN|NOREPLICAS|TRYAGAIN|BUSY)\b/;
const brokenConnections =
  /Command timed out|Connection is closed|Stream isn't writeable|max retries per request|ECONN|ENOENT|EPIPE|Failed to refresh slots|None of startup nodes/i;

/** True for errors that mean "Redis cannot do this now", as against a defect in what it was asked. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A transaction's own error does not say why its commands were refused; these do.
  if ("previousErrors" in error && Array.isArray(error.previousErrors))
    return error.previousErrors.some(isOutage);
  return refusals.test(error.message) || brokenConnections.test(error.message);
}
