import type { Chores, Ctx } from "../context.ts";
import { indexPerson } from "../domain/search/people.ts";
import { settleBlock } from "../domain/timelines/block.ts";
import { settleFollow } from "../domain/timelines/follow.ts";
import { settleDeletion } from "../domain/tweets/clear.ts";
import { unindexIfGone } from "../domain/tweets/indexing.ts";
import { settleLike } from "../domain/tweets/like.ts";
import { settleRetweet } from "../domain/tweets/retweet.ts";
import { settleAvatar } from "../domain/users/avatars.ts";
import { settleSignUp } from "../domain/users/sign-up.ts";

const chores: { [Name in keyof Chores]: (ctx: Ctx, data: Chores[Name]) => Promise<void> } = {
  "settle-follow": settleFollow,
  "settle-block": settleBlock,
  "settle-like": settleLike,
  "settle-retweet": settleRetweet,
  "settle-deletion": (ctx, { tweet }) => settleDeletion(ctx, tweet),
  "settle-avatar": (ctx, { user }) => settleAvatar(ctx, user),
  "settle-sign-up": async (ctx, { user }) => {
    await settleSignUp(ctx, user);
    await indexPerson(ctx, user);
  },
  "index-person": (ctx, { user }) => indexPerson(ctx, user),
  "unindex-tweet": unindexIfGone,
};

/** Throws for a name that nobody knows, as after a downgrade: the job is kept and can be replayed. */
export async function runChore(ctx: Ctx, name: string, data: Chores[keyof Chores]): Promise<void> {
  if (!Object.hasOwn(chores, name)) throw new Error(`unknown chore ${name}`);
  const run = chores[name as keyof Chores] as (
    ctx: Ctx,
    data: Chores[keyof Chores],
  ) => Promise<void>;
  await run(ctx, data);
}
