import type { Ctx } from "../../context.ts";
import { pauseDeadline } from "../deadline.ts";
import type { Drawings } from "../drawing/child.ts";
import { draw, type Drawn } from "../drawing/draw.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { charge, isSpent } from "./payer.ts";

/**
 * Draws an upload of a user in turns with other users, within the user's time of the day: refused uploads take time,
 * too. A request waits for its turn. Throws Invalid beside `what`, TooMany.
 */
export async function drawFor<What extends keyof Drawings>(
  ctx: Ctx,
  user: UserId,
  { what, upload, queue }: { what: What; upload: Buffer; queue: string },
): Promise<Drawn<What>> {
  if (await isSpent(ctx, "drawingSecond", { user }))
    throw new Invalid({ [what]: "picture.budget" });
  let seconds = 0;
  try {
    const spend = (milliseconds: number) => void (seconds += milliseconds / 1000);
    return await pauseDeadline(() => draw(what, upload, { place: { queue, client: user }, spend }));
  } finally {
    await charge(ctx, "drawingSecond", { user }, Math.ceil(seconds));
  }
}
