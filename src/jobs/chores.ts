import type { Chores, Ctx } from "../context.ts";
import { reconcileAddress } from "../domain/accounts/mail-address.ts";
import { indexPerson } from "../domain/search/index-person.ts";
import { settleUpload } from "../domain/actions/attach-pictures.ts";
import { reconcileBlock } from "../domain/actions/block.ts";
import { reconcileFollow } from "../domain/actions/follow.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { indexOlder } from "../domain/search/index-older.ts";
import { unindexIfGone } from "../domain/search/index-tweet.ts";
import { reconcileLike } from "../domain/actions/like.ts";
import { reconcileEdit } from "../domain/actions/reconcile-edit.ts";
import { notifyWatchers } from "../domain/actions/notify-watchers.ts";
import { reconcileRetweet } from "../domain/actions/retweet.ts";
import { settleHeader } from "../domain/pictures/header.ts";
import { reconcileAvatar } from "../domain/users/avatars.ts";
import { reconcileSignUp } from "../domain/users/sign-up.ts";

const chores: { [Name in keyof Chores]: (ctx: Ctx, data: Chores[Name]) => Promise<void> } = {
  "settle-follow": reconcileFollow,
  "settle-block": reconcileBlock,
  "settle-like": reconcileLike,
  "settle-retweet": reconcileRetweet,
  "settle-deletion": (ctx, { tweet }) => reconcileDeletion(ctx, tweet),
  "settle-avatar": (ctx, { user }) => reconcileAvatar(ctx, user),
  "settle-sign-up": async (ctx, { user }) => {
    await reconcileSignUp(ctx, user);
    await indexPerson(ctx, user);
  },
  "index-person": (ctx, { user }) => indexPerson(ctx, user),
  "settle-mail": reconcileAddress,
  "settle-upload": settleUpload,
  "settle-header": settleHeader,
  "settle-edit": reconcileEdit,
  "notify-watchers": notifyWatchers,
  "unindex-tweet": unindexIfGone,
  "index-older": (ctx) => indexOlder(ctx),
};

/** Throws for an unknown name, as after a downgrade: the job is kept and can be replayed. */
export async function runChore(ctx: Ctx, name: string, data: Chores[keyof Chores]): Promise<void> {
  if (!Object.hasOwn(chores, name)) throw new Error(`unknown chore ${name}`);
  const run = chores[name as keyof Chores] as (
    ctx: Ctx,
    data: Chores[keyof Chores],
  ) => Promise<void>;
  await run(ctx, data);
}
