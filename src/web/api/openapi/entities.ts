import { z } from "zod";

/**
 * What answers hold, as Mastodon 4.2 documents it. A field that Suzume has nothing for is there and
 * empty; `none` is a list that is always empty.
 */
const none = z.array(z.never()).max(0);
const id = z.string().regex(/^\d+$/).describe("A number that sorts by time.");
const moment = z.string().meta({ format: "date-time" });
const address = z.string().meta({ format: "uri" });
const count = z.int().min(0);

const Field = z.strictObject({
  name: z.string(),
  value: z.string().describe("HTML"),
  verified_at: moment.nullable(),
});

const account = {
  id,
  username: z.string(),
  acct: z.string(),
  display_name: z.string(),
  locked: z.literal(false),
  bot: z.literal(false),
  discoverable: z.literal(true),
  indexable: z.literal(true),
  group: z.literal(false),
  created_at: moment,
  note: z.string().describe("HTML"),
  url: address,
  uri: address,
  avatar: address,
  avatar_static: address,
  header: address,
  header_static: address,
  followers_count: count,
  following_count: count,
  statuses_count: count,
  last_status_at: z.string().meta({ format: "date" }).nullable(),
  hide_collections: z.literal(false),
  noindex: z.literal(false),
  emojis: none,
  roles: none,
  fields: z.array(Field),
};

export const Account = z.strictObject(account);

export const CredentialAccount = z.strictObject({
  ...account,
  source: z.strictObject({
    privacy: z.literal("public"),
    sensitive: z.literal(false),
    language: z.string().nullable(),
    note: z.string().describe("As it was typed."),
    fields: z.array(Field),
    follow_requests_count: z.literal(0),
    hide_collections: z.literal(false),
    discoverable: z.literal(true),
    indexable: z.literal(true),
  }),
  role: z.strictObject({
    id: z.string(),
    name: z.string(),
    permissions: z.string(),
    color: z.string(),
    highlighted: z.boolean(),
  }),
});

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

export const Relationship = z.strictObject({
  id,
  following: z.boolean(),
  showing_reblogs: z.boolean(),
  notifying: z.literal(false),
  languages: z.null(),
  followed_by: z.boolean(),
  blocking: z.boolean(),
  blocked_by: z.boolean(),
  muting: z.boolean(),
  muting_notifications: z.boolean(),
  muting_expires_at: z.null(),
  requested: z.literal(false),
  requested_by: z.literal(false),
  domain_blocking: z.literal(false),
  endorsed: z.literal(false),
  note: z.literal(""),
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
  history: z.array(
    z.strictObject({ day: z.string(), uses: z.string(), accounts: z.string() }),
  ),
});

export const Search = z.strictObject({
  accounts: z.array(Account),
  statuses: z.array(Status),
  hashtags: z.array(Tag),
});

const application = {
  id,
  name: z.string(),
  website: z.string().nullable(),
  scopes: z.array(z.string()),
  redirect_uri: z.string(),
  redirect_uris: z.array(z.string()),
  vapid_key: z.literal(""),
};

export const Application = z.strictObject(application);
export const CredentialApplication = z.strictObject({
  ...application,
  client_id: z.string(),
  client_secret: z.string(),
  client_secret_expires_at: z.literal(0),
});

export const Token = z.strictObject({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  scope: z.string(),
  created_at: z.int().describe("Seconds since 1970."),
});

export const Error = z.looseObject({
  error: z.string().describe("A sentence, or in OAuth a name."),
  error_description: z.string().optional(),
});

/** By the names under which the document has them. */
export const entities = {
  Account,
  Application,
  Context,
  CredentialAccount,
  CredentialApplication,
  DeletedStatus,
  Error,
  Notification,
  Relationship,
  Search,
  Status,
  StatusEdit,
  StatusSource,
  Tag,
  Token,
};

export type EntityName = keyof typeof entities;
