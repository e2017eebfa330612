import { z } from "zod";
import { address, count, id, moment, none } from "./parts.ts";
import { Account } from "./people.ts";

const Mention = z.strictObject({ id, username: z.string(), url: address, acct: z.string() });

const status = {
  id,
  created_at: moment,
  in_reply_to_id: id.nullable(),
  in_reply_to_account_id: id.nullable(),
  sensitive: z.literal(false),
  spoiler_text: z.literal(""),
  visibility: z.literal("public"),
  language: z.null(),
  uri: address,
  url: address,
  replies_count: count,
  reblogs_count: count,
  favourites_count: count,
  edited_at: z.null(),
  favourited: z.boolean(),
  reblogged: z.boolean(),
  muted: z.literal(false),
  bookmarked: z.boolean(),
  pinned: z.boolean().optional().describe("On one's own only."),
  content: z.string().describe("HTML"),
  filtered: none,
  application: z.null(),
  account: Account,
  media_attachments: none,
  mentions: z.array(Mention),
  tags: z.array(z.strictObject({ name: z.string(), url: address })),
  emojis: none,
  card: z.null(),
  poll: z.null(),
};

/** A retweet has the original in `reblog`; what a tweet links to on this site is in `quote`. */
export const Status: z.ZodType = z.strictObject({
  ...status,
  quote: z
    .strictObject({ state: z.literal("accepted"), quoted_status: z.lazy(() => Status) })
    .nullable(),
  reblog: z.lazy(() => Status).nullable(),
});

export const DeletedStatus = z.looseObject({ id, text: z.string().describe("As it was typed.") });
export const StatusSource = z.strictObject({
  id,
  text: z.string().describe("As it was typed."),
  spoiler_text: z.literal(""),
});
export const StatusEdit = z.strictObject({
  content: z.string().describe("HTML"),
  spoiler_text: z.literal(""),
  sensitive: z.literal(false),
  created_at: moment,
  account: Account,
  poll: z.null(),
  media_attachments: none,
  emojis: none,
});

export const Context = z.strictObject({
  ancestors: z.array(Status),
  descendants: z.array(Status),
});

export const Notification = z.strictObject({
  id,
  type: z.enum(["follow", "favourite", "reblog", "mention"]),
  created_at: moment,
  group_key: z.string(),
  account: Account,
  status: Status.optional(),
});

export const Tag = z.strictObject({
  name: z.string(),
  url: address,
  history: z.array(z.strictObject({ day: z.string(), uses: z.string(), accounts: z.string() })),
  following: z.literal(false),
  featuring: z.literal(false),
});

export const Search = z.strictObject({
  accounts: z.array(Account),
  statuses: z.array(Status),
  hashtags: z.array(Tag),
});
