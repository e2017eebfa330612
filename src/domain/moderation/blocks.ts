import type { Ctx } from "../../context.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { holdsAddress, toDomain, toNetwork } from "../block-match.ts";
import { blockField, type BlockKind, parseBlockField, toBlocks } from "../blocks.ts";
import { Invalid, type Problem } from "../errors.ts";
import { type UserId, stampAt } from "../ids.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { foldWords } from "../word-match.ts";
import { recordSiteEntry } from "./audit.ts";

/** In graphemes. */
const wordLimit = 50;

/** What the admins have blocked, in alphabetical order; texts are normalized. */
export async function listBlocks(ctx: Ctx) {
  const stored = Object.entries(await ctx.redis.hgetall(keys.siteBlocks));
  return stored
    .flatMap(([field, since]) => {
      const block = parseBlockField(field);
      return block === undefined ? [] : [{ ...block, since: Number(since) }];
    })
    .toSorted((one, other) => one.text.localeCompare(other.text, "en"));
}

interface Change {
  by: UserId;
  nonce?: string | undefined;
  kind: BlockKind;
  text: string;
}

/**
 * Blocks a word, a domain or an address: written into the audit log first, with what is blocked as the note.
 * `from` is the admin's own address, which cannot be shut out. Throws Invalid beside `text`.
 */
export async function addBlock(ctx: Ctx, change: Change, from: string): Promise<void> {
  const { kind, by } = change;
  const text = normalize(kind, change.text);
  const field = blockField(kind, text);
  const { everything, signUps } = toBlocks([field]);
  if (holdsAddress(everything ?? signUps, from)) throw new Invalid({ text: "block.own" });
  if ((await ctx.redis.hexists(keys.siteBlocks, field)) === 1) return;
  const most = mostOf("siteBlocks");
  const many = new Invalid({ text: "block.many" });
  if ((await ctx.redis.hlen(keys.siteBlocks)) >= most) throw many;
  await recordSiteEntry(ctx, { ...change, verb: "block", note: text });
  const since = String(stampAt(ctx.now(), by));
  if ((await ctx.redis.addFieldAnyway(keys.siteBlocks, field, since, most)) === null) throw many;
}

/** Does nothing for what is not blocked. */
export async function removeBlock(ctx: Ctx, change: Change): Promise<void> {
  const field = blockField(change.kind, change.text);
  if ((await ctx.redis.hexists(keys.siteBlocks, field)) === 0) return;
  await recordSiteEntry(ctx, { ...change, verb: "unblock", note: change.text });
  await ctx.redis.hdel(keys.siteBlocks, field);
}

function normalize(kind: BlockKind, raw: string): string {
  const text = kind === "word" ? toWord(raw) : kind === "domain" ? toDomain(raw) : toNetwork(raw);
  if (text === undefined) throw new Invalid({ text: malformed[kind] });
  return text;
}

const malformed: Record<BlockKind, Problem> = {
  word: "block.word",
  domain: "block.domain",
  signup: "block.address",
  address: "block.address",
};

function toWord(raw: string): string | undefined {
  const word = foldWords(cleanLine(raw));
  return isBlank(word) || !fitsGraphemes(word, wordLimit) ? undefined : word;
}
