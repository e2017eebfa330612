import { z } from "zod";
import { address, count, id, moment } from "./parts.ts";
import { Account } from "./people.ts";

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

const limits = {
  statuses: z.strictObject({
    max_characters: count,
    max_media_attachments: z.literal(0),
    characters_reserved_per_url: count,
  }),
  media_attachments: z.strictObject({
    supported_mime_types: z.array(z.string()),
    description_limit: count,
    image_size_limit: count,
    image_matrix_limit: count,
    video_size_limit: count,
    video_frame_rate_limit: count,
    video_matrix_limit: count,
  }),
  polls: z.strictObject({
    max_options: count,
    max_characters_per_option: count,
    min_expiration: count,
    max_expiration: count,
  }),
};

export const Instance = z.strictObject({
  domain: z.string(),
  title: z.string(),
  version: z.string().describe('"4.2.0 (compatible; Suzume …)"'),
  source_url: z.string(),
  description: z.string(),
  usage: z.strictObject({ users: z.strictObject({ active_month: count }) }),
  thumbnail: z.strictObject({ url: address, blurhash: z.null(), versions: z.strictObject({}) }),
  icon: z.array(z.strictObject({ src: address, size: z.string() })),
  languages: z.array(z.string()),
  configuration: z.strictObject({
    urls: z.strictObject({
      streaming: address,
      status: z.null(),
      about: address,
      privacy_policy: address,
      terms_of_service: z.null(),
    }),
    vapid: z.strictObject({ public_key: z.literal("") }),
    ...limits,
    accounts: z.strictObject({ max_featured_tags: count, max_pinned_statuses: count }),
    translation: z.strictObject({ enabled: z.literal(false) }),
  }),
  registrations: z.strictObject({
    enabled: z.boolean(),
    approval_required: z.boolean(),
    reason_required: z.boolean(),
    message: z.null(),
    min_age: z.null(),
    url: z.string().nullable(),
  }),
  api_versions: z.strictObject({ mastodon: z.int() }),
  contact: z.strictObject({ email: z.string(), account: Account.nullable() }),
  rules: z.array(z.strictObject({ id: z.string(), text: z.string(), hint: z.string() })),
});

export const OldInstance = z.strictObject({
  uri: z.string(),
  title: z.string(),
  short_description: z.string(),
  description: z.string(),
  email: z.string(),
  version: z.string(),
  urls: z.strictObject({ streaming_api: address }),
  stats: z.strictObject({ user_count: count, status_count: count, domain_count: count }),
  thumbnail: address,
  languages: z.array(z.string()),
  registrations: z.boolean(),
  approval_required: z.boolean(),
  invites_enabled: z.boolean(),
  configuration: z.strictObject({
    ...limits,
    accounts: z.strictObject({ max_featured_tags: count }),
  }),
  contact_account: Account.nullable(),
  rules: z.array(z.strictObject({ id: z.string(), text: z.string(), hint: z.string() })),
});

export const Preferences = z.record(z.string(), z.union([z.string(), z.boolean(), z.null()]));

export const Suggestion = z.strictObject({
  source: z.string(),
  sources: z.array(z.string()),
  account: Account,
});

export const Report = z.strictObject({
  id,
  action_taken: z.literal(false),
  action_taken_at: z.null(),
  category: z.string(),
  comment: z.string(),
  forwarded: z.literal(false),
  created_at: moment,
  status_ids: z.array(z.string()),
  rule_ids: z.array(z.never()).max(0),
  target_account: Account,
});

export const Markers = z.strictObject({
  notifications: z
    .strictObject({ last_read_id: id, version: z.int(), updated_at: moment })
    .optional(),
});
