import type { Chores, Ctx } from "../context.ts";
import { reconcileAddress } from "../domain/accounts/mail.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { reconcileUpload } from "../domain/actions/attach-pictures.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileFollow } from "../domain/actions/follow.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { indexOlder } from "../domain/search/index-older.ts";
import { unindexIfGone } from "../domain/search/index-tweet.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { reconcileEdit } from "../domain/actions/reconcile-edit.ts";
import { notifyWatchers } from "../domain/actions/deliver-tweet.ts";
import { reconcileRetweet } from "../domain/actions/retweet.ts";
import { reconcileHeader } from "../domain/pictures/header.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";

const chores: { [Name in keyof Chores]: (ctx: Ctx, data: Chores[Name]) => Promise<void> } = {
  "reconcile-follow": reconcileFollow,
  "reconcile-block": reconcileBlock,
  "reconcile-like": reconcileLike,
  "reconcile-retweet": reconcileRetweet,
  "reconcile-deletion": (ctx, { tweet }) => reconcileDeletion(ctx, tweet),
  "reconcile-avatar": (ctx, { user }) => reconcileAvatar(ctx, user),
  "reconcile-sign-up": async (ctx, { user }) => {
    await reconcileSignUp(ctx, user);
    await indexPerson(ctx, user);
  },
  "index-person": (ctx, { user }) => indexPerson(ctx, user),
  "reconcile-mail": reconcileAddress,
  "reconcile-upload": reconcileUpload,
  "reconcile-header": reconcileHeader,
  "reconcile-edit": reconcileEdit,
  "notify-watchers": notifyWatchers,
  "unindex-tweet": unindexIfGone,
  "index-older": (ctx) => indexOlder(ctx),
};

/** The name of a chore. Chores that were promised before an upgrade have "settle-" where it is "reconcile-" now. */
export function choreName(stored: string): string {
  return stored.replace(/^settle-/, "reconcile-");
}

/** Throws for an unknown name, as after a downgrade: the job is kept and can be replayed. */
export async function runChore(
  ctx: Ctx,
  stored: string,
  data: Chores[keyof Chores],
): Promise<void> {
  const name = choreName(stored);
  if (!Object.hasOwn(chores, name)) throw new Error(`unknown chore ${stored}`);
  const run = chores[name as keyof Chores] as (
    ctx: Ctx,
    data: Chores[keyof Chores],
  ) => Promise<void>;
  await run(ctx, data);
}
