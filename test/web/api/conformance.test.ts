import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../support/world/world.ts";

interface Schema {
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  $ref?: string;
}

const account =
  "id username acct url uri display_name note avatar avatar_static header header_static locked fields emojis bot group " +
  "discoverable noindex indexable hide_collections roles created_at last_status_at statuses_count followers_count " +
  "following_count";
const application = "id name website scopes redirect_uri redirect_uris vapid_key";

/** What Mastodon 4.5 documents as always there; a dot leads to an inner object. */
const documented: Readonly<Record<string, string>> = {
  Account: account,
  CredentialAccount:
    `${account} role.id role.name role.color role.permissions role.highlighted source.note source.fields ` +
    "source.privacy source.sensitive source.language source.follow_requests_count source.quote_policy " +
    "source.attribution_domains source.hide_collections source.discoverable source.indexable",
  Application: application,
  CredentialApplication: `${application} client_id client_secret client_secret_expires_at`,
  Context: "ancestors descendants",
  Instance:
    "domain title version source_url description usage.users.active_month thumbnail.url thumbnail.blurhash " +
    "thumbnail.versions icon languages registrations.enabled registrations.approval_required " +
    "registrations.reason_required registrations.message registrations.min_age registrations.url api_versions.mastodon " +
    "contact.email contact.account rules configuration.urls.streaming configuration.urls.status " +
    "configuration.urls.about configuration.urls.privacy_policy configuration.urls.terms_of_service " +
    "configuration.vapid.public_key configuration.accounts.max_featured_tags " +
    "configuration.accounts.max_pinned_statuses configuration.statuses.max_characters " +
    "configuration.statuses.max_media_attachments configuration.statuses.characters_reserved_per_url " +
    "configuration.media_attachments.supported_mime_types configuration.media_attachments.description_limit " +
    "configuration.media_attachments.image_size_limit configuration.media_attachments.image_matrix_limit " +
    "configuration.media_attachments.video_size_limit configuration.media_attachments.video_frame_rate_limit " +
    "configuration.media_attachments.video_matrix_limit configuration.polls.max_options " +
    "configuration.polls.max_characters_per_option configuration.polls.min_expiration " +
    "configuration.polls.max_expiration configuration.translation.enabled " +
    "configuration.timelines_access.live_feeds.local configuration.timelines_access.live_feeds.remote " +
    "configuration.timelines_access.hashtag_feeds.local configuration.timelines_access.trending_link_feeds.local " +
    "configuration.limited_federation",
  List: "id title replies_policy exclusive",
  MediaAttachment:
    "id type url preview_url remote_url preview_remote_url text_url meta description blurhash",
  Notification: "id type group_key created_at account",
  OldInstance:
    "uri title short_description description email version urls.streaming_api stats.user_count stats.status_count " +
    "stats.domain_count thumbnail languages registrations approval_required invites_enabled configuration.statuses " +
    "configuration.media_attachments configuration.polls contact_account rules",
  Preferences:
    "posting:default:visibility posting:default:sensitive posting:default:language posting:default:quote_policy " +
    "reading:expand:media reading:expand:spoilers",
  Relationship:
    "id following showing_reblogs notifying languages followed_by blocking blocked_by muting muting_notifications " +
    "muting_expires_at requested requested_by domain_blocking endorsed note",
  Search: "accounts statuses hashtags",
  Status:
    "id uri url created_at edited_at account content visibility sensitive spoiler_text media_attachments application " +
    "mentions tags emojis reblogs_count favourites_count replies_count quotes_count quote quote_approval.automatic " +
    "quote_approval.manual quote_approval.current_user in_reply_to_id in_reply_to_account_id reblog poll card language " +
    "favourited reblogged muted bookmarked filtered",
  Tag: "id name url history following featuring",
  Token: "access_token token_type scope created_at",
};

/** That answers have what the document requires is a test of the document. */
describe("the attributes of Mastodon 4.5", () => {
  let world: World;
  let schemas: Record<string, Schema>;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const { body } = await request(world.app).get("/api/openapi.json").expect(200);
    ({ schemas } = (body as { components: { schemas: Record<string, Schema> } }).components);
  });
  afterAll(() => world.close());

  /** The schema of an attribute that is always there. */
  function partOf(schema: Schema | undefined, name: string): Schema | undefined {
    const found = schema?.required?.includes(name) === true ? schema.properties?.[name] : undefined;
    return found?.$ref === undefined ? found : schemas[found.$ref.split("/").at(-1) ?? ""];
  }

  it.each(Object.entries(documented))("every %s has them all", (entity, names) => {
    const missing = names.split(" ").filter((path) => {
      let schema: Schema | undefined = schemas[entity];
      for (const name of path.split(".")) schema = partOf(schema, name);
      return schema === undefined;
    });
    expect(missing).toEqual([]);
  });

  it("a marker has them all", () => {
    const marker = schemas["Markers"]?.properties?.["notifications"];
    expect(marker?.required).toEqual(["last_read_id", "version", "updated_at"]);
  });
});
