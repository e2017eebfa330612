import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";
import type { Holder } from "../scope.ts";
import { endSelfDeletion } from "./self-deletion.ts";

/**
 * Keeps back what these holders have promised, until its user wants it again. Call it after they were logged out by the
 * user: what ends with a generation needs no call. May run twice.
 */
export async function keepBackPromised(
  ctx: Ctx,
  user: UserId,
  isOver: (holder: Holder) => boolean,
): Promise<void> {
  await endSelfDeletion(ctx, user, isOver);
}
