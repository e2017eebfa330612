import type { Ctx } from "../../context.ts";
import { apartFrom } from "../graph/relations.ts";
import type { UserId } from "../ids.ts";
import { findUsers } from "../users/store.ts";
import { mutersAmong } from "./muted-conversations.ts";
import { addNotification, dismissersAmong, type Notification } from "./store.ts";

/**
 * Notifies many users of one action that they asked to hear of: so it is no flood. Else as `notify` does, with a few
 * round trips for all. May run twice; the first stamp stays.
 */
export async function notifyAll(ctx: Ctx, users: readonly UserId[], action: Notification) {
  const { actor, tweet, stamp } = action;
  const [accounts, apart, muters, dismissers] = await Promise.all([
    findUsers(ctx, users),
    apartFrom(ctx, users, actor),
    tweet === undefined ? new Set<UserId>() : mutersAmong(ctx, users, tweet),
    dismissersAmong(ctx, users, action),
  ]);
  const hearers = users.filter((user) => {
    const account = accounts.get(user);
    const isCleared = account === undefined || stamp <= account.notificationsCleared;
    const isUnwanted = isCleared || apart.has(user) || muters.has(user) || dismissers.has(user);
    return user !== actor && !isUnwanted;
  });
  await Promise.all(hearers.map((user) => addNotification(ctx, user, action)));
}
