/** Text for the operator about an error, with advice; never contains a password. */
export function inWords(error: unknown, address: string): string {
  const message = messageOf(error);
  const told = sentences.find(([pattern]) => pattern.test(message));
  return told === undefined ? `${address}: ${message}` : `${address} ${told[1]} (${message})`;
}

/** With any other policy a full Redis drops tweets and users. */
export function onlyPolicy(policy: string): string {
  return (
    `Redis would drop data when its memory is full (maxmemory-policy ${policy}). ` +
    "Remedy: `redis-cli config set maxmemory-policy noeviction`, or your provider's setting for it."
  );
}

/** A cluster's client says that all nodes failed; its last error says why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { lastNodeError } = error as { lastNodeError?: unknown };
  return lastNodeError instanceof Error ? lastNodeError.message : error.message;
}

const sentences: [pattern: RegExp, sentence: string][] = [
  [/^WRONGPASS|invalid password/i, "refuses the password in REDIS_URL"],
  [/^NOAUTH/, "wants a password; put it into REDIS_URL"],
  [/cluster support disabled/, "is no cluster: REDIS_URL must name it alone"],
  [/^MOVED|^ASK/, "is a node of a cluster that was not known as one; restart this process"],
  [/^LOADING/, "is loading its data"],
  [/^MISCONF/, "takes no writes: its disk fails or is full"],
  [/^OOM/, "takes no writes: its memory is full"],
  [/^NOREPLICAS/, "takes no writes: it has too few replicas"],
  [/^READONLY/, "takes no writes: it is a replica"],
  [/^CLUSTERDOWN/, "belongs to a cluster that is down in part"],
  [/timed out|timeout/i, "does not answer"],
  [/ECONN|ENOENT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|isn't writeable|is closed/, "cannot be reached"],
];
