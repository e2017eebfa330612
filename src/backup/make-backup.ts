import type { Redis } from "ioredis";
import type { Ctx } from "../context.ts";
import { type DataState, readState } from "../migrations/state.ts";
import { keys } from "../redis/keys.ts";
import { primariesOf } from "../redis/servers.ts";
import type { Entry } from "./bytes.ts";
import { storedFiles } from "./files.ts";
import { type Header, isConsistent } from "./header.ts";
import { countersOf, knownIds, NoSnapshot, snapshotOf, walk } from "./read-server.ts";
import { type About, writeFile } from "./write-file.ts";

interface BackupOptions {
  file: string;
  /** What signs session cookies. */
  secret: string | undefined;
  /** Version of the program. */
  program: string;
  /** "walk" where the host gives no snapshots; otherwise this is found out. */
  how?: Header["how"];
  /** Told about what is not as usual. */
  say(line: string): void;
}

/**
 * Writes everything that the site is into one file, while the site may run. From one server that gives snapshots
 * it is of one moment, as if the power had failed then. Throws if there is no data, or if it is being upgraded.
 */
export async function makeBackup(ctx: Ctx, options: BackupOptions): Promise<Header> {
  const { redis } = ctx;
  const state = await readState(redis);
  if (state === undefined) throw new Error("there is no data of Suzume in this Redis");
  if (state.restoring) throw new Error("a backup is being restored here");
  if ((await redis.exists(keys.siteLock)) === 1)
    throw new Error("the data is being upgraded: try again when that is done");
  const { how = "snapshot", say } = options;
  try {
    return await write(ctx, state, { ...options, how });
  } catch (error) {
    if (!(error instanceof NoSnapshot)) throw error;
    say(`Redis gives no snapshot (${error.message}): reading key after key instead`);
    return await write(ctx, state, { ...options, how: "walk" });
  }
}

async function write(
  ctx: Ctx,
  { version: dataVersion, unindexed }: DataState,
  { file, secret, program, how }: BackupOptions & Pick<Header, "how">,
): Promise<Header> {
  const nodes = primariesOf(ctx.redis);
  const about: About = {
    program,
    madeAt: new Date(ctx.now()).toISOString(),
    dataVersion,
    how,
    servers: nodes.length,
    ...(unindexed && { unindexed }),
  };
  const ids = await knownIds(ctx.redis);
  const read = how === "walk" ? (node: Redis) => walk(node, ids) : snapshotOf;
  const sources = nodes.map(read);
  if (!isConsistent(about)) sources.push(countersOf(ctx.redis));
  return await writeFile(file, about, { secret, entries: inTurn([...sources, storedFiles(ctx)]) });
}

async function* inTurn(sources: AsyncGenerator<Entry>[]): AsyncGenerator<Entry> {
  for (const source of sources) yield* source;
}
