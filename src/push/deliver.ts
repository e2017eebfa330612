import type { Ctx, PushWork } from "../context.ts";
import { claimPush, findPushable, releasePush, wantsPush } from "../domain/push/pushable.ts";
import type { Failing, Subscription } from "../domain/push/subscription.ts";
import { dropSubscriptions, listSubscriptions, noteFailing } from "../domain/push/subscriptions.ts";
import { findUser, type User } from "../domain/users/store.ts";
import { composePush } from "./compose.ts";
import { type Outcome, sendPush } from "./transport.ts";

/** A subscription is dropped after this many failures in a row … */
const failuresAtMost = 5;
/** … over at least this many milliseconds. */
const failingAtMost = 3 * 24 * 60 * 60 * 1000;

/** `act`: the former name of `activity`, in jobs from before version 0.2. */
type Promised = Partial<PushWork> & Pick<PushWork, "to"> & { act?: string };

/**
 * The job of a push: sends a notification to each of the user's devices that wants it, at most once. Whatever has
 * changed since the promise counts. Throws if a push service asks for another try, unless this is the last one:
 * the addresses are chosen by users, so their failures are no dead letters.
 */
export async function deliverPush(ctx: Ctx, work: Promised, isLast: boolean): Promise<void> {
  const user = await findUser(ctx, work.to);
  if (user === undefined || user.suspended) return;
  const subscriptions = await listSubscriptions(ctx, user);
  if (subscriptions.length === 0) return;
  const { activity = work.act ?? "" } = work;
  const item = await findPushable(ctx, user, activity);
  const actor = item && (await findUser(ctx, item.actor));
  if (item === undefined || actor === undefined) return;
  const isWanted = await wantsPush(ctx, user, item);
  const outcomes = await Promise.all(
    subscriptions.filter(isWanted).map(async (one) => {
      if (!(await claimPush(ctx, user.id, one, activity))) return undefined;
      const outcome = await sendPush(ctx, one, composePush(ctx, user, one, item, actor));
      if (outcome === "later") await releasePush(ctx, user.id, one, activity);
      await note(ctx, user, one, outcome);
      return outcome;
    }),
  );
  if (outcomes.includes("later") && !isLast) throw new Error("a push service asks to wait");
}

/** Drops a subscription that has ended, or whose pushes have failed for days. */
async function note(ctx: Ctx, user: User, one: Subscription, outcome: Outcome): Promise<void> {
  if (outcome === "sent") {
    await noteFailing(ctx, user, one, undefined);
    return;
  }
  const now = ctx.now();
  const { since, times }: Failing = one.failing ?? { since: now, times: 0 };
  const isDead = times + 1 >= failuresAtMost && now - since >= failingAtMost;
  if (outcome === "gone" || isDead) await dropSubscriptions(ctx, user, [one]);
  else await noteFailing(ctx, user, one, { since, times: times + 1 });
}
