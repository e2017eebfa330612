import type { Ctx } from "../../../context.ts";
import type { Kind } from "../../../domain/notifications/store.ts";
import type { Told } from "../../../domain/tweets/single-notifications.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import { presentAccount, spellDate } from "./account.ts";
import { presentStatus } from "./status.ts";

const types: Record<Kind, string> = {
  follow: "follow",
  like: "favourite",
  retweet: "reblog",
  mention: "mention",
  reply: "mention",
};

/** Mastodon's Notification; undefined if whoever did it, or what it is about, is gone. */
export async function presentNotification(
  ctx: Ctx,
  viewer: User,
  told: Told,
  site: string,
): Promise<string | undefined> {
  const { kind, actor, tweet, item, stamp } = told;
  const [people, status] = await Promise.all([
    findUsers(ctx, [actor]),
    item && presentStatus(ctx, viewer, item, site),
  ]);
  const person = people.get(actor);
  if (person === undefined || (tweet !== undefined && status === undefined)) return undefined;
  const first = JSON.stringify({
    id: String(stamp),
    type: types[kind],
    created_at: spellDate(stamp),
    group_key: `ungrouped-${stamp}`,
  });
  const account = await presentAccount(ctx, site, person);
  const about = status === undefined ? "" : `,"status":${status}`;
  return `${first.slice(0, -1)},"account":${account}${about}}`;
}
