import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/apps/scopes.ts";
import { Invalid, NotFound, OutOfScope } from "../../domain/errors.ts";
import { homeFeed, listFeed } from "../../domain/feeds/feeds.ts";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { PublicList } from "../../domain/feeds/public-lists.ts";
import { findList } from "../../domain/graph/lists.ts";
import { parseListId } from "../../domain/ids.ts";
import type { ListRange, Page } from "../../domain/page.ts";
import { homeFloor } from "../../domain/timelines/home.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import type { User } from "../../domain/users/store.ts";
import { flag, text } from "./input.ts";

/** Paths of the streams that can have something; as names they have a colon for each slash. */
export const streamPaths = [
  "user",
  "user/notification",
  "list",
  "public",
  "public/local",
  "hashtag",
  "hashtag/local",
  "direct",
] as const;

export function streamName(path: string): string {
  return path.replaceAll("/", ":");
}

/** How an app names what it listens to. */
export const channelFields = z.object({
  stream: text.meta({
    enum: streamPaths.map(streamName),
    description:
      "That of notifications needs the scope read:notifications, that of a list read:lists, others read:statuses.",
  }),
  tag: text.describe("The hashtag, for the streams of hashtags."),
  list: text.describe("Id of the list, for the stream of a list."),
  only_media: flag.describe("Of the public streams: nothing is told."),
});

export type ChannelQuery = Partial<z.output<typeof channelFields>>;

export type ReadFeed = (ctx: Ctx, viewer: User, part: ListRange) => Promise<Page<FeedItem>>;

/** What an app listens to. */
export interface Channel {
  /** Equal for queries that mean the same channel. */
  key: string;
  /** As events name it. */
  stream: readonly string[];
  /** A timeline that only this user has: home, or a list. */
  feed?: ReadFeed;
  /** What is older than this in it is not sent. */
  floor?: typeof homeFloor;
  notifications?: true;
  conversations?: true;
  list?: PublicList;
}

export function scopeFor(path: string): Scope {
  if (path === "list") return "read:lists";
  return path === "user/notification" ? "read:notifications" : "read:statuses";
}

/** Key of the stream that a query names. Equal for two queries that name one stream. */
export function channelKey({ stream = "", tag, list }: ChannelQuery): string {
  if (/^hashtag(:|$)/.test(stream)) return `hashtag:${foldTag(tag ?? "")}`;
  return stream === "list" ? `list:${list}` : stream;
}

/** Streams of other servers: Suzume has none, so they stay silent. */
const silent = /^(public\/remote|public(\/local|\/remote)?\/media)$/;

/**
 * `may`: whether the token has a scope. Throws Invalid for what is no stream; OutOfScope; NotFound for a list of another
 * user.
 */
export async function findChannel(
  ctx: Ctx,
  { viewer, may }: { viewer: User; may: (scope: Scope) => boolean },
  query: ChannelQuery,
): Promise<Channel> {
  const { stream = "", tag = "", list = "" } = query;
  if (stream === "") throw new Invalid({ stream: "field.missing" });
  const path = stream.replaceAll(":", "/");
  const scope = scopeFor(path);
  if (!may(scope)) throw new OutOfScope(scope);
  const key = channelKey(query);
  switch (path) {
    case "user":
      return {
        key,
        stream: [stream],
        feed: homeFeed,
        floor: homeFloor,
        ...(may("read:notifications") && { notifications: true }),
      };
    case "user/notification":
      return { key, stream: [stream], notifications: true };
    case "direct":
      return { key, stream: [stream], conversations: true };
    case "list": {
      const id = parseListId(list);
      if (id === undefined) throw new Invalid({ list: "field.missing" });
      if ((await findList(ctx, viewer.id, id)) === undefined) throw new NotFound("list");
      const feed: ReadFeed = (at, owner, part) => listFeed(at, owner, id, part);
      return { key, stream: [stream, list], feed };
    }
    case "hashtag":
    case "hashtag/local": {
      const folded = foldTag(tag);
      if (folded === undefined)
        throw new Invalid({ tag: tag === "" ? "field.missing" : "field.malformed" });
      return { key, stream: [stream, tag], list: { tag: folded } };
    }
    case "public":
    case "public/local":
      return {
        key,
        stream: [stream],
        ...(query.only_media !== true && { list: { tag: undefined } }),
      };
    default:
      if (silent.test(path)) return { key, stream: [stream] };
      throw new Invalid({ stream: "field.malformed" });
  }
}
