import { randomUUID } from "node:crypto";
import { setImmediate as othersTurn } from "node:timers/promises";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { Stamp, UserId } from "../ids.ts";
import { type Holder, type Right, withoutRight } from "../scope.ts";
import type { Payer } from "../users/payer.ts";
import { endedRight } from "../users/promised.ts";
import { requireRight } from "../users/roles.ts";
import type { ExportFile, ImportItem, ImportKindName } from "./import-file.ts";
import { keepOriginals } from "./import-pictures.ts";
import type { ImportProgress, SkipReason } from "./import-run.ts";
import { readTweetRow } from "./import-tweet-rows.ts";
import type { Place } from "../archives/archive.ts";

/** TTL of a user's import: its progress and its remaining items. */
const lifeSeconds = ttlOf("import");
/** Items per part; progress is saved after each part. */
const partSize = 100;
/** Parts written in one round trip. */
const partsAtOnce = 20;

export type Import = NonNullable<Awaited<ReturnType<typeof findImport>>>;

/**
 * What a user wants of an import. "preview": nothing yet, it waits; "removing": that what it brought is removed. Its
 * progress says whether that is done.
 */
const wishes = ["preview", "running", "paused", "removing"] as const;
type ImportWish = (typeof wishes)[number];

const json = <Value>() => z.string().transform((text) => JSON.parse(text) as Value);

const stored = z.object({
  id: z.string(),
  place: z.custom<Place>().default("suzume"),
  wish: z.enum(wishes).default("running"),
  preview: json<ImportPreview>().optional(),
  started_at: z.coerce.number(),
  total: z.coerce.number(),
  parts: z.coerce.number(),
  /** The network that pays for it; see users/payer.ts. */
  from: z.string().optional(),
  /** The right of the request that wanted its last step. */
  right: json<Right>().optional(),
  progress: json<ImportProgress>(),
});

/**
 * Stores the items of an import until they are done, and the pictures that they have. It waits until the user has seen
 * what it would bring. Replaces an earlier import of the same user; of two at
 * once, one replaces the other completely. Throws Unauthenticated if the right ended meanwhile, and Invalid if another
 * import was started; then it leaves no items.
 */
export async function storeImport(ctx: Ctx, payer: Payer, file: ExportFile): Promise<void> {
  const id = randomUUID();
  try {
    await writeImport(ctx, payer, { id, file });
  } catch (error) {
    await withoutRight(async () => {
      const isUnused = (await findImport(ctx, payer.user))?.id !== id;
      if (isUnused) await deleteItems(ctx, payer.user, id);
    });
    throw error;
  }
}

async function writeImport(
  ctx: Ctx,
  { user, from = "" }: Payer,
  { id, file }: { id: string; file: ExportFile },
): Promise<void> {
  const preview: ImportPreview = { counts: {}, skipped: {} };
  const startedAt = ctx.now() * 1000;
  const parts = await storeItems(ctx, keys.importItems(user, id), { file, preview, startedAt });
  await keepOriginals(ctx, user, file.pictures);
  const rows = { parts: 0, items: 0, known: 0, skipped: {} };
  const progress: ImportProgress = { ...rows, tweets: 0, follows: 0, told: 0, done: false };
  const about = { id, started_at: startedAt, total: file.total, parts, from };
  const waits = { place: file.place, wish: "preview", preview: JSON.stringify(preview) };
  const fields = { ...about, ...waits, progress: JSON.stringify(progress) };
  // Items and pictures of a large file take seconds.
  await requireRight();
  await requireNoOther(ctx, user);
  const pairs = Object.entries(fields).flat();
  const earlier = await ctx.redis.replaceHash(keys.import(user), "id", lifeSeconds, ...pairs);
  if (earlier !== null && earlier !== id) await deleteItems(ctx, user, earlier);
}

/** Throws Invalid beside `file` if an import has begun and not ended: what it brought could not be taken back. */
export async function requireNoOther(ctx: Ctx, user: UserId): Promise<void> {
  const current = await findImport(ctx, user);
  const isPaused = current?.wish === "paused" && !current.progress.done;
  if (current && (isPaused || isUnderWay(current)))
    throw new Invalid({ file: "import.unfinished" });
}

/** Resolves to the number of parts. */
async function storeItems(
  ctx: Ctx,
  key: string,
  { file, preview, startedAt }: { file: ExportFile; preview: ImportPreview; startedAt: Stamp },
): Promise<number> {
  let parts = 0;
  let waiting: Command[] = [];
  const write = async () => {
    await exec(ctx.redis, [...waiting, ["expire", key, lifeSeconds]]);
    waiting = [];
  };
  for (const items of file.parts(partSize)) {
    for (const item of items) addToPreview(preview, item, startedAt);
    waiting.push(["hset", key, parts, JSON.stringify(items)]);
    parts += 1;
    if (waiting.length >= partsAtOnce) await write();
    // Reading a part blocks the event loop.
    else await othersTurn();
  }
  await write();
  return parts;
}

/** The latest import of the last seven days. */
export async function findImport(ctx: Ctx, user: UserId) {
  const { success, data } = stored.safeParse(await ctx.redis.hgetall(keys.import(user)));
  if (!success) return undefined;
  const { started_at: startedAt, from = "", ...rest } = data;
  return { ...rest, startedAt, from: from || undefined };
}

/** False if the user wants something else meanwhile. `right`: that of the request that wants it now. */
export async function saveWish(
  ctx: Ctx,
  user: UserId,
  { wish }: Import,
  { next, right }: { next: ImportWish; right?: Right },
): Promise<boolean> {
  const fields = ["wish", next, ...(right === undefined ? [] : ["right", JSON.stringify(right)])];
  return (await ctx.redis.updateAnyway(keys.import(user), "wish", wish, ...fields)) === 1;
}

/** The import is paused by its job if one of these holders wanted its last step. May run twice. */
export async function endImport(
  ctx: Ctx,
  user: UserId,
  isOver: (holder: Holder) => boolean,
): Promise<void> {
  const { right: before } = (await findImport(ctx, user)) ?? {};
  const right = endedRight(before, isOver);
  if (right === undefined) return;
  const texts = [JSON.stringify(before), "right", JSON.stringify(right)] as const;
  await ctx.redis.updateAnyway(keys.import(user), "right", ...texts);
}

/** Whether a job must work on it. */
export function isUnderWay({ wish, progress: { done, ended } }: Import): boolean {
  return wish === "removing" ? ended !== true : wish === "running" && !done;
}

/** A missing part has been done. */
export async function readPart(ctx: Ctx, user: UserId, { id, part }: { id: string; part: number }) {
  const text = await ctx.redis.hget(keys.importItems(user, id), String(part));
  return text === null ? [] : (JSON.parse(text) as ImportItem[]);
}

/** False if this import was replaced or is gone. */
export async function saveProgress(
  ctx: Ctx,
  user: UserId,
  { id, progress }: Pick<Import, "id" | "progress">,
): Promise<boolean> {
  const text = JSON.stringify(progress);
  return (await ctx.redis.updateIf(keys.import(user), "id", id, "progress", text)) === 1;
}

/** Deletes the items of an import that is done or gone; its progress stays. */
export async function deleteItems(ctx: Ctx, user: UserId, id: string): Promise<void> {
  await ctx.redis.unlink(keys.importItems(user, id));
}

export async function forgetImport(ctx: Ctx, user: UserId): Promise<void> {
  const id = await ctx.redis.hget(keys.import(user), "id");
  if (id === null) return;
  await deleteItems(ctx, user, id);
  await ctx.redis.del(keys.import(user));
}

/** What a file has, as far as it is known before anything is written. */
export interface ImportPreview {
  counts: Partial<Record<ImportKindName | "picture", number>>;
  /** Dates of the first and the last tweet, as files have them. */
  first?: string;
  last?: string;
  skipped: Partial<Record<SkipReason, number>>;
}

function addToPreview(preview: ImportPreview, item: ImportItem, startedAt: Stamp): void {
  const { counts } = preview;
  if (item.kind === "malformed") return skip(preview, item.kind);
  const tweet = item.kind === "tweet" ? readTweetRow(item, startedAt) : undefined;
  if (typeof tweet === "string") return skip(preview, tweet);
  counts[item.kind] = (counts[item.kind] ?? 0) + 1;
  if (item.kind !== "tweet") return;
  const { created_at: date, pictures = [] } = item;
  counts.picture = (counts.picture ?? 0) + pictures.length;
  preview.first ??= date;
  if (date < preview.first) preview.first = date;
  if (preview.last === undefined || date > preview.last) preview.last = date;
}

function skip({ skipped }: ImportPreview, reason: SkipReason): void {
  skipped[reason] = (skipped[reason] ?? 0) + 1;
}
