import { BlockList } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../context.ts";
import { keys } from "../redis/keys.ts";
import {
  addNetwork,
  type Blocks,
  formsOf,
  hasBlockedDomain,
  hasBlockedWord,
  holdsAddress,
  isBlockedName,
} from "./block-match.ts";
import { Invalid, type Problem, refuseIfAny } from "./errors.ts";
import { readerOf } from "./members.ts";
import { isOutage } from "./outage.ts";
import { perClient } from "./memo.ts";
import { recorded, Recording } from "./scope.ts";

/** "signup": an address that may not sign up. "address": one that gets no page at all. */
export const blockKinds = ["word", "domain", "signup", "address"] as const;
export type BlockKind = (typeof blockKinds)[number];

/** The fields of the hash: "kind:text". */
export function blockField(kind: BlockKind, text: string): string {
  return `${kind}:${text}`;
}

/** Undefined for a field that this version does not know. */
export function parseBlockField(field: string): { kind: BlockKind; text: string } | undefined {
  const at = field.indexOf(":");
  const kind = blockKinds.find((one) => one === field.slice(0, at));
  return kind && { kind, text: field.slice(at + 1) };
}

const currentBlocks = readerOf<null, Blocks>({
  key: () => keys.siteBlocks,
  command: ["hkeys"],
  parse: (reply) => toBlocks(reply as string[]),
});

export function toBlocks(fields: readonly string[]): Blocks {
  const words: string[] = [];
  const domains = new Set<string>();
  const lists: { signUps?: BlockList; everything?: BlockList } = {};
  for (const { kind, text } of fields.flatMap((field) => parseBlockField(field) ?? [])) {
    if (kind === "word") words.push(...formsOf(text));
    else if (kind === "domain") domains.add(text);
    else {
      const list = kind === "address" ? "everything" : "signUps";
      addNetwork((lists[list] ??= new BlockList()), text);
    }
  }
  return { words, domains, signUps: lists.signUps, everything: lists.everything };
}

/** As this process knows them; it hears of changes at once. Reading them anew would cost each tweet a round trip. */
async function readBlocks(ctx: Ctx, recording = new Recording(ctx.now())): Promise<Blocks> {
  return await recorded(recording, () => currentBlocks(ctx, null));
}

/** Why a text of a user is refused, if it is. */
export async function blockedIn(ctx: Ctx, text: string) {
  const blocks = await readBlocks(ctx);
  if (hasBlockedWord(blocks, text)) return "text.blocked";
  return hasBlockedDomain(blocks, text) ? "link.blocked" : undefined;
}

/** Throws Invalid beside each field whose text is refused. */
export async function refuseBlocked(ctx: Ctx, fields: Record<string, string>): Promise<void> {
  const problems: Record<string, Problem | undefined> = {};
  for (const [field, text] of Object.entries(fields)) problems[field] = await blockedIn(ctx, text);
  refuseIfAny(problems);
}

export async function isNameBlocked(ctx: Ctx, name: string): Promise<boolean> {
  return isBlockedName(await readBlocks(ctx), name);
}

/** Throws Invalid for an address that may not sign up. */
export async function refuseSignUpFrom(ctx: Ctx, address: string): Promise<void> {
  const { signUps, everything } = await readBlocks(ctx);
  if (holdsAddress(signUps, address) || holdsAddress(everything, address))
    throw new Invalid({ form: "address.blocked" });
}

/** What was read last, and how long it is right. */
const lastKnown = perClient<{ blocks?: Blocks; recording?: Recording }>(() => ({}));

/** Max milliseconds to wait for Redis: every request waits here, before it can be answered with 503. */
const patience = 300;

/** Whether an address gets no page; at once unless blocks changed. While Redis is silent, the last known ones count. */
export function isIpBlocked(ctx: Ctx, address: string): boolean | Promise<boolean> {
  const last = lastKnown(ctx);
  const isHeld = () => holdsAddress(last.blocks?.everything, address);
  if (last.recording?.isGood(ctx.now()) === true) return isHeld();
  const read = async () => {
    const recording = new Recording(ctx.now());
    try {
      last.blocks = await readBlocks(ctx, recording);
      last.recording = recording;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
  };
  return Promise.race([read(), sleep(patience, undefined, { ref: false })]).then(isHeld);
}
