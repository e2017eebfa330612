import { memo } from "../../../domain/memo.ts";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { dayOf } from "../../../domain/ids.ts";
import {
  findAccountStats,
  isSameStats,
  type AccountStats,
  readAccountStats,
} from "../../../domain/timelines/account-stats.ts";
import { headerOf } from "../../../domain/pictures/header.ts";
import { mentionsIn } from "../../../domain/tweets/text.ts";
import { findMentioned, type MentionedUser, type User } from "../../../domain/users/store.ts";
import { parseWebsite, verifiedAt } from "../../../domain/users/settings.ts";
import { appAvatarUrl, missingHeader } from "../../layout/avatars.ts";
import { pictureUrl } from "../../layout/pictures.ts";
import { address, constants, count, entity, formatDate, html, id, moment } from "./fields.ts";
import { type ApiView, contentOf, type Json, outwardLink, toJson } from "./parts.ts";

export const Field = z.strictObject({
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

export const Account = entity("Account", {
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
});

/** What an account is made of beside the user. */
interface About {
  site: string;
  standing: AccountStats;
  /** The users named in the bio. */
  mentions: readonly MentionedUser[];
}

export function accountEntity(user: User, { site, standing, mentions }: About) {
  const { name } = user;
  const { newest } = standing;
  const url = `${site}/@${name}`;
  const avatar = `${site}${appAvatarUrl(user)}`;
  const picture = user.header === "" ? undefined : headerOf(user);
  const header = `${site}${picture === undefined ? missingHeader : pictureUrl(picture.large.file)}`;
  return {
    id: user.id,
    username: name,
    acct: name,
    display_name: user.fullname,
    locked: user.protected,
    created_at: formatDate(user.createdAt),
    note: contentOf(user.bio, mentions, site),
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
  } satisfies z.output<typeof Account>;
}

/** Name of the only field of a profile. */
export const websiteName = "Website";

function fieldsOf(user: User): z.output<typeof Field>[] {
  const url = user.website === "" ? undefined : parseWebsite(user.website);
  if (url === undefined) return [];
  const value = outwardLink(url.href);
  return [{ name: websiteName, value, verified_at: provenOn(user) }];
}

/** When the website was found to link back; null if it was not. */
export function provenOn(user: User): string | null {
  const stamp = verifiedAt(user);
  return stamp === undefined ? null : formatDate(stamp);
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
  const mentions = namesIn(user).flatMap(
    (named) => mentioned.find(({ name }) => name === named) ?? [],
  );
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

/** Folded names in the bio, by the object, which is the same until the user changes. */
const namesIn = memo(({ bio }: User): readonly string[] => mentionsIn(bio));

/** The users whom the bios of these users name; two round trips, or none. */
export async function readBioMentions(ctx: Ctx, users: readonly User[]) {
  const names = new Set(users.flatMap(namesIn));
  return names.size === 0 ? [] : await findMentioned(ctx, [...names]);
}

function areSame(one: readonly MentionedUser[], other: readonly MentionedUser[]): boolean {
  return one.length === other.length && one.every((user, nth) => user.id === other[nth]?.id);
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
