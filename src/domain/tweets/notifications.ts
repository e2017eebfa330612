import type { Ctx } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import { type Group, groupNotifications } from "../notifications/group.ts";
import {
  type Notification,
  notificationsAfter,
  removeNotifications,
} from "../notifications/store.ts";
import { knownUnread } from "../notifications/unread.ts";
import { cut, type Page, pageSize } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { mutedWordsOf } from "../users/muted-words.ts";
import { relationsTo } from "../users/relations.ts";
import { findUsers, type User } from "../users/store.ts";
import { learnDeletions } from "./deletions.ts";
import { type Listed, listTweets } from "./read-feed.ts";
import { sightOf } from "./sight.ts";
import { recallTweets } from "./store.ts";
import type { Tweet } from "./tweet.ts";

/** A group with the tweet that it is about; a follow has none. */
export interface Notified extends Group {
  item: Listed | undefined;
}

/**
 * What others did that concerns the viewer, grouped, newest first. Groups are made of all that is
 * kept, so that none is torn by the end of a page.
 */
export async function notificationsFeed(
  ctx: Ctx,
  viewer: User,
  before?: Stamp,
): Promise<Page<Notified>> {
  const { id, notificationsRead } = viewer;
  const entries = await onlyShown(ctx, viewer, await notificationsAfter(ctx, id, 0));
  const groups = groupNotifications(entries, notificationsRead);
  const rest = before === undefined ? groups : groups.filter(({ stamp }) => stamp < before);
  const { items, older } = cut(rest, pageSize, ({ stamp }) => stamp);
  const listed = await listNamed(ctx, viewer, items);
  return { items: items.map((group) => ({ ...group, item: itemOf(group, listed) })), older };
}

/**
 * How many groups the viewer has not read. Costs no command as long as nothing has changed for them
 * (see knownUnread).
 */
export async function countUnread(ctx: Ctx, viewer: User): Promise<number> {
  return await knownUnread(ctx, viewer, async (read) => {
    const entries = await onlyShown(ctx, viewer, await notificationsAfter(ctx, viewer.id, read));
    return groupNotifications(entries, read).length;
  });
}

/** Without what is gone, which is taken out, and without what the viewer does not want to see. */
async function onlyShown(ctx: Ctx, viewer: User, entries: Notification[]): Promise<Notification[]> {
  if (entries.length === 0) return entries;
  const actors = new Set(entries.map(({ actor }) => actor));
  const [people, tweets, relationTo, hasMutedWord] = await Promise.all([
    findUsers(ctx, actors),
    findNamed(ctx, entries),
    relationsTo(ctx, viewer, actors),
    mutedWordsOf(ctx, viewer),
  ]);
  const isThere = ({ actor, tweet }: Notification) =>
    people.has(actor) && (tweet === undefined || tweets.has(tweet));
  const isWanted = ({ kind, actor, tweet }: Notification) => {
    const { muted, blocked } = relationTo(actor);
    if (muted || blocked) return false;
    const wrote = kind === "mention" || kind === "reply" ? tweet : undefined;
    return wrote === undefined || !hasMutedWord(tweets.get(wrote)?.text ?? "");
  };
  const gone = entries.filter((entry) => !isThere(entry));
  await removeNotifications(ctx, viewer.id, gone);
  return entries.filter((entry) => isThere(entry) && isWanted(entry));
}

/** The tweets that are named and still there. */
async function findNamed(
  ctx: Ctx,
  named: { tweet?: TweetId | undefined }[],
): Promise<Map<TweetId, Tweet>> {
  const ids = new Set(named.flatMap(({ tweet }) => (tweet === undefined ? [] : [tweet])));
  if (ids.size === 0) return new Map();
  const wanted = [...ids].map((id) => ({ id }));
  const found = await recallTweets(ctx, wanted, await learnDeletions(ctx));
  return new Map(found.flatMap((tweet) => (tweet === undefined ? [] : [[tweet.id, tweet]])));
}

/** Those tweets as lists show them: with what they quote, if the viewer may see it. */
async function listNamed(ctx: Ctx, viewer: User, groups: Group[]): Promise<Map<TweetId, Listed>> {
  const tweets = await findNamed(ctx, groups);
  const entries = [...tweets.values()].map(({ id, createdAt }) => ({ id, stamp: createdAt }));
  const found = await listTweets(ctx, entries, await learnDeletions(ctx));
  const items = found.filter((item) => item !== undefined);
  const isSeen = await sightOf(ctx, viewer, items);
  return new Map(items.filter(isSeen).map((item) => [item.tweet.id, item]));
}

function itemOf({ tweet }: Group, listed: Map<TweetId, Listed>): Listed | undefined {
  return tweet === undefined ? undefined : listed.get(tweet);
}
