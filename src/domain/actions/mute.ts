import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

interface Mute {
  muter: UserId;
  muted: UserId;
}

const muting: EdgeKind<Mute> = {
  list: ({ muter }) => keys.mutes(muter),
  member: ({ muted }) => muted,
  isProtective: true,
};

/** The muted user is not notified. Throws Invalid if both are the same user. */
export async function mute(ctx: Ctx, edge: Mute): Promise<void> {
  if (edge.muter === edge.muted) throw new Invalid({ form: "mute.self" });
  await addEdge(ctx, muting, edge);
}

export async function unmute(ctx: Ctx, edge: Mute): Promise<void> {
  await removeEdge(ctx, muting, edge);
}
