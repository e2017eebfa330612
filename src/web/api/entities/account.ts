import { memo } from "../../../domain/memo.ts";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import type { Stamp } from "../../../domain/ids.ts";
import { countRequests } from "../../../domain/graph/follow-requests.ts";
import {
  findAccountStats,
  isSameStats,
  type AccountStats,
  readAccountStats,
} from "../../../domain/timelines/account-stats.ts";
import { headerOf } from "../../../domain/pictures/header.ts";
import { effectiveAudience } from "../../../domain/tweets/audience.ts";
import type { MentionedUser, User } from "../../../domain/users/store.ts";
import { parseWebsite, verifiedAt } from "../../../domain/users/settings.ts";
import { appAvatarUrl, missingHeader } from "../../layout/avatars.ts";
import { pictureUrl } from "../../layout/pictures.ts";
import { presentText } from "../../layout/text.ts";
import {
  address,
  type ApiView,
  constants,
  count,
  formatDate,
  html,
  id,
  type Json,
  moment,
  toJson,
  typed,
} from "./parts.ts";
import { Visibility, visibilityOf } from "../visibility.ts";
import { areSame, contentOf, mentionsOf, outwardLink, readBioMentions } from "./content.ts";

const Field = z.strictObject({
  name: z.string(),
  value: html,
  verified_at: moment.nullable(),
});

const always = {
  bot: false,
  discoverable: true,
  indexable: true,
  group: false,
  hide_collections: false,
  noindex: false,
  emojis: [],
  roles: [],
} as const;

const fields = {
  id,
  username: z.string(),
  acct: z.string(),
  display_name: z.string(),
  locked: z.boolean(),
  created_at: moment,
  note: html,
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
  fields: z.array(Field),
  ...constants(always),
};

export const Account = z.strictObject(fields).meta({ id: "Account" });

const sourceAlways = {
  sensitive: false,
  language: null,
  quote_policy: "public",
  attribution_domains: [],
  hide_collections: false,
  discoverable: true,
  indexable: true,
} as const;

const role = { id: "-99", name: "", permissions: "0", color: "", highlighted: false } as const;

/** The viewer's own account. */
export const CredentialAccount = z
  .strictObject({
    ...fields,
    source: z.strictObject({
      note: typed,
      fields: z.array(Field),
      privacy: Visibility,
      follow_requests_count: count,
      ...constants(sourceAlways),
    }),
    ...constants({ role }),
  })
  .meta({ id: "CredentialAccount" });

/** What an account is made of beside the user. */
interface About {
  site: string;
  standing: AccountStats;
  /** The users named in the bio. */
  mentions: readonly MentionedUser[];
}

function accountEntity(user: User, { site, standing, mentions }: About): z.output<typeof Account> {
  const { name } = user;
  const { newest } = standing;
  const url = `${site}/@${name}`;
  const avatar = `${site}${appAvatarUrl(user)}`;
  const picture = headerOf(user);
  const header = `${site}${picture === undefined ? missingHeader : pictureUrl(picture.large.file)}`;
  return {
    id: user.id,
    username: name,
    acct: name,
    display_name: user.fullname,
    locked: user.protected,
    created_at: formatDate(user.createdAt),
    note: contentOf(presentText(user.bio, mentions), site),
    url,
    uri: url,
    avatar,
    avatar_static: avatar,
    header,
    header_static: header,
    followers_count: standing.followers,
    following_count: standing.followings,
    statuses_count: standing.tweets,
    last_status_at: newest === undefined ? null : dayOf(newest),
    fields: fieldsOf(user),
    ...always,
  };
}

export async function credentialEntity(
  ctx: Ctx,
  site: string,
  user: User,
): Promise<z.output<typeof CredentialAccount>> {
  const [standing, mentions, requests] = await Promise.all([
    findAccountStats(ctx, user.id),
    readBioMentions(ctx, [user]),
    countRequests(ctx, user.id),
  ]);
  const website = { name: "Website", value: user.website, verified_at: provenOn(user) };
  return {
    ...accountEntity(user, { site, standing, mentions }),
    source: {
      note: user.bio,
      fields: user.website === "" ? [] : [website],
      privacy: visibilityOf(effectiveAudience(user, user)),
      follow_requests_count: requests,
      ...sourceAlways,
    },
    role,
  };
}

function fieldsOf(user: User): z.output<typeof Field>[] {
  const url = parseWebsite(user.website);
  if (url === undefined) return [];
  const value = outwardLink(url.href);
  return [{ name: "Website", value, verified_at: provenOn(user) }];
}

function provenOn(user: User): string | null {
  const stamp = verifiedAt(user);
  return stamp === undefined ? null : formatDate(stamp);
}

function dayOf(stamp: Stamp): string {
  return formatDate(stamp).slice(0, 10);
}

/** By the object, which is the same until the user changes; see redis/memory.ts. */
const lastAnswerFor = memo((_user: User): { made?: About & { json: Json } } => ({}));

/** The JSON of an account, made once for as long as nothing in it changes; `mentioned`: of any bios. */
export function serializeAccount(
  site: string,
  user: User,
  standing: AccountStats,
  mentioned: readonly MentionedUser[],
): Json {
  const mentions = mentionsOf(user, mentioned);
  const last = lastAnswerFor(user);
  const { made } = last;
  const isCurrent =
    made?.site === site && isSameStats(made.standing, standing) && areSame(made.mentions, mentions);
  if (isCurrent) return made.json;
  const about = { site, standing, mentions };
  const json = toJson(accountEntity(user, about));
  last.made = { ...about, json };
  return json;
}

export async function presentAccount({ ctx, site }: ApiView, user: User): Promise<Json> {
  const [standing, mentioned] = await Promise.all([
    findAccountStats(ctx, user.id),
    readBioMentions(ctx, [user]),
  ]);
  return serializeAccount(site, user, standing, mentioned);
}

/** Accounts in order; the numbers of all of them in one round trip or none. */
export async function presentAccounts({ ctx, site }: ApiView, users: User[]): Promise<Json[]> {
  const ids = users.map((user) => user.id);
  const [standings, mentioned] = await Promise.all([
    readAccountStats(ctx, ids),
    readBioMentions(ctx, users),
  ]);
  return users.flatMap((user) => {
    const standing = standings.get(user.id);
    return standing === undefined ? [] : [serializeAccount(site, user, standing, mentioned)];
  });
}
