import type { Socket } from "node:net";
import type { Redis } from "ioredis";
import type { Entry } from "./bytes.ts";
import { readRdb } from "./rdb.ts";

/** Milliseconds without a byte after which Redis counts as away; while it prepares it sends newlines. */
const silence = 60_000;

/** The server does not give snapshots, as some hosts forbid it. */
export class NoSnapshot extends Error {
  override name = "NoSnapshot";
}

/**
 * All keys of a server as they are at one moment, while it goes on working: what a new replica would be sent.
 * Throws NoSnapshot before the first key.
 */
export async function* snapshotOf(node: Redis): AsyncGenerator<Entry> {
  const line = node.duplicate({
    lazyConnect: true,
    enableAutoPipelining: false,
    socketTimeout: undefined,
    commandTimeout: undefined,
    retryStrategy: () => null,
  });
  line.on("error", () => {});
  try {
    await line.connect();
    // Lets Redis send while it reads its memory, instead of writing a file first; and says that we leave after it.
    await line.call("REPLCONF", "capa", "eof");
    await line.call("REPLCONF", "rdb-only", "1").catch(() => {});
    yield* readRdb(await askForSnapshot(line.stream), node.options.db ?? 0);
  } catch (error) {
    throw isRefusal(error) ? new NoSnapshot((error as Error).message) : error;
  } finally {
    line.disconnect();
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NoSnapshot || (error instanceof Error && error.name === "ReplyError");
}

/** Takes the connection over from its client, and returns what follows the first line of the reply. */
async function askForSnapshot(stream: Socket): Promise<AsyncIterable<Buffer>> {
  stream.pause().removeAllListeners("data");
  stream.setTimeout(silence);
  stream.once("timeout", () => stream.destroy(new Error("Redis stopped sending its snapshot")));
  stream.write("SYNC\r\n");
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) throw new NoSnapshot("the connection was closed");
    head = Buffer.concat([head, value]);
    // Newlines keep the connection alive.
    while (head[0] === 0x0a) head = head.subarray(1);
    const end = head.indexOf("\r\n");
    if (end === -1) continue;
    const reply = head.subarray(0, end).toString("latin1");
    if (!reply.startsWith("$")) throw new NoSnapshot(reply.replace(/^-/, ""));
    return joined(head.subarray(end + 2), chunks);
  }
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
