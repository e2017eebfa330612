/**
 * What Mastodon 4.5 documents as always there, by entity: from the OpenAPI document that abraham/mastodon-openapi makes
 * of its documentation, and from pages of mastodon/documentation (content/en/entities, and
 * content/en/methods/grouped_notifications.md). Each name has its type: string, boolean, integer, number, object or
 * array, by the first letter; "?" stands for "or null". A dot leads to an inner object, or to the objects of a list.
 */
const account =
  "id:s username:s acct:s url:s? uri:s display_name:s note:s avatar:s avatar_static:s header:s header_static:s " +
  "locked:b fields:a emojis:a bot:b group:b discoverable:b? noindex:b? indexable:b hide_collections:b? roles:a " +
  "created_at:s last_status_at:s? statuses_count:i followers_count:i following_count:i fields.name:s fields.value:s " +
  "fields.verified_at:s?";
const application = "id:s name:s website:s? scopes:a redirect_uri:s redirect_uris:a vapid_key:s";
const filter = "id:s title:s context:a expires_at:s? filter_action:s";
const limits =
  "configuration.accounts.max_featured_tags:i configuration.statuses.max_characters:i " +
  "configuration.statuses.max_media_attachments:i configuration.statuses.characters_reserved_per_url:i " +
  "configuration.media_attachments.supported_mime_types:a configuration.media_attachments.image_size_limit:i " +
  "configuration.media_attachments.image_matrix_limit:i configuration.media_attachments.video_size_limit:i " +
  "configuration.media_attachments.video_frame_rate_limit:i configuration.media_attachments.video_matrix_limit:i " +
  "configuration.polls.max_options:i configuration.polls.max_characters_per_option:i " +
  "configuration.polls.min_expiration:i configuration.polls.max_expiration:i";
const rules = "rules.id:s rules.text:s rules.hint:s rules.translations:o";
const summary = "summary.pending_requests_count:i summary.pending_notifications_count:i";
const text = "updated_at:s content:s";

export const documented: Readonly<Record<string, string>> = {
  Account: account,
  CredentialAccount:
    `${account} role.id:s role.name:s role.color:s role.permissions:s role.highlighted:b source.note:s ` +
    "source.fields:a source.privacy:s source.sensitive:b source.language:s? source.follow_requests_count:i " +
    "source.quote_policy:s source.attribution_domains:a source.hide_collections:b? source.discoverable:b? " +
    "source.indexable:b source.fields.name:s source.fields.value:s source.fields.verified_at:s?",
  MutedAccount: `${account} mute_expires_at:s?`,
  Application: application,
  CredentialApplication: `${application} client_id:s client_secret:s client_secret_expires_at:i`,
  Context: "ancestors:a descendants:a",
  Conversation: "id:s unread:b accounts:a last_status:o?",
  ExtendedDescription: text,
  FamiliarFollowers: "id:s accounts:a",
  Filter: `${filter} keywords:a statuses:a keywords.id:s keywords.keyword:s keywords.whole_word:b`,
  FilterKeyword: "id:s keyword:s whole_word:b",
  FilterResult:
    `filter:o keyword_matches:a? status_matches:a? ` + filter.replaceAll(/(?<=^| )/g, "filter."),
  GroupedNotificationsResults: "accounts:a statuses:a notification_groups:a",
  Instance:
    "domain:s title:s version:s source_url:s description:s usage.users.active_month:i thumbnail.url:s " +
    "thumbnail.blurhash:s? thumbnail.versions:o icon:a icon.src:s icon.size:s languages:a registrations.enabled:b " +
    "registrations.approval_required:b registrations.reason_required:b? registrations.message:s? " +
    "registrations.min_age:i? registrations.url:s? api_versions.mastodon:i contact.email:s contact.account:o? " +
    "configuration.urls.streaming:s configuration.urls.status:s? configuration.urls.about:s " +
    "configuration.urls.privacy_policy:s? configuration.urls.terms_of_service:s? configuration.vapid.public_key:s " +
    "configuration.accounts.max_pinned_statuses:i configuration.media_attachments.description_limit:i " +
    "configuration.translation.enabled:b configuration.timelines_access.live_feeds.local:s " +
    "configuration.timelines_access.live_feeds.remote:s configuration.timelines_access.hashtag_feeds.local:s " +
    "configuration.timelines_access.hashtag_feeds.remote:s configuration.timelines_access.trending_link_feeds.local:s " +
    "configuration.timelines_access.trending_link_feeds.remote:s configuration.limited_federation:b " +
    `${limits} rules:a ${rules}`,
  List: "id:s title:s replies_policy:s exclusive:b",
  Marker: "last_read_id:s version:i updated_at:s",
  // The address is null while a picture is converted (ProcessingMediaAttachment).
  MediaAttachment:
    "id:s type:s url:s? preview_url:s? remote_url:s? preview_remote_url:s? meta:o? description:s? blurhash:s?",
  Notification: "id:s type:s group_key:s created_at:s account:o",
  // Documented as text; Mastodon sends a number, without which its app for iOS ends.
  NotificationGroup:
    "group_key:s notifications_count:i type:s most_recent_notification_id:n page_min_id:s page_max_id:s " +
    "latest_page_notification_at:s sample_account_ids:a",
  NotificationPolicy:
    "for_not_following:s for_not_followers:s for_new_accounts:s for_private_mentions:s for_limited_accounts:s " +
    summary,
  OldInstance:
    "uri:s title:s short_description:s description:s email:s version:s urls.streaming_api:s stats.user_count:i " +
    "stats.status_count:i stats.domain_count:i thumbnail:s? languages:a registrations:b approval_required:b " +
    `invites_enabled:b contact_account:o? ${limits} rules:a ${rules}`,
  OldNotificationPolicy:
    "filter_not_following:b filter_not_followers:b filter_new_accounts:b filter_private_mentions:b " +
    summary,
  Poll:
    "id:s expires_at:s? expired:b multiple:b votes_count:i voters_count:i? options:a options.title:s " +
    "options.votes_count:i? emojis:a",
  Preferences:
    "posting:default:visibility:s posting:default:sensitive:b posting:default:language:s? " +
    "posting:default:quote_policy:s reading:expand:media:s reading:expand:spoilers:b",
  PrivacyPolicy: text,
  Relationship:
    "id:s following:b showing_reblogs:b notifying:b languages:a? followed_by:b blocking:b blocked_by:b muting:b " +
    "muting_notifications:b muting_expires_at:s? requested:b requested_by:b domain_blocking:b endorsed:b note:s",
  Report:
    "id:s action_taken:b action_taken_at:s? category:s comment:s forwarded:b created_at:s status_ids:a? rule_ids:a? " +
    "target_account:o",
  Rule: "id:s text:s hint:s translations:o",
  Search: "accounts:a statuses:a hashtags:a",
  ScheduledStatus:
    "id:s scheduled_at:s params:o media_attachments:a params.text:s params.poll:o? params.media_ids:a? params.sensitive:b? params.spoiler_text:s? params.visibility:s params.in_reply_to_id:s? params.language:s? params.application_id:i? params.scheduled_at:s? params.idempotency:s? params.with_rate_limit:b",
  Status:
    "id:s uri:s url:s? created_at:s edited_at:s? account:o content:s visibility:s sensitive:b spoiler_text:s " +
    "media_attachments:a application:o? mentions:a mentions.id:s mentions.username:s mentions.url:s mentions.acct:s " +
    "tags:a tags.name:s tags.url:s emojis:a reblogs_count:i favourites_count:i replies_count:i quotes_count:i " +
    "quote:o? quote.state:s quote.quoted_status:o? quote_approval.automatic:a quote_approval.manual:a " +
    "quote_approval.current_user:s in_reply_to_id:s? in_reply_to_account_id:s? reblog:o? poll:o? card:o? " +
    "language:s? favourited:b reblogged:b muted:b bookmarked:b filtered:a",
  StatusEdit:
    "content:s spoiler_text:s sensitive:b created_at:s account:o media_attachments:a emojis:a poll:o?",
  StatusSource: "id:s text:s spoiler_text:s",
  Suggestion: "source:s sources:a account:o",
  Tag: "id:s name:s url:s history:a history.day:s history.uses:s history.accounts:s following:b featuring:b",
  Token: "access_token:s token_type:s scope:s created_at:n",
  UserInfo: "iss:s sub:s name:s preferred_username:s profile:s picture:s",
  V1_Filter: "id:s phrase:s context:a expires_at:s? irreversible:b whole_word:b",
  WebPushSubscription:
    "id:i endpoint:s standard:b server_key:s alerts.mention:b alerts.status:b alerts.reblog:b alerts.follow:b " +
    "alerts.follow_request:b alerts.favourite:b alerts.poll:b alerts.update:b alerts.quote:b alerts.quoted_update:b " +
    "alerts.admin.sign_up:b alerts.admin.report:b",
};
