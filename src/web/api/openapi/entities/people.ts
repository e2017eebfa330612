import { z } from "zod";
import { address, count, id, moment, none } from "./parts.ts";

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
