import { z } from "zod";
import type { Stamp } from "../../../domain/stamp.ts";
import {
  findAccountStats,
  isSameStats,
  type AccountStats,
  readAccountStats,
} from "../../../domain/timelines/account-stats.ts";
import type { User } from "../../../domain/users/store.ts";
import { parseWebsite } from "../../../domain/users/settings.ts";
import { avatarUrl } from "../../present/avatars.ts";
import { presentText } from "../../present/text.ts";
import { type Json, toJson } from "../json.ts";
import { contentOf, outwardLink } from "./content.ts";
import {
  type ApiView,
  address,
  constants,
  count,
  formatDate,
  html,
  id,
  moment,
  typed,
} from "./parts.ts";

const Field = z.strictObject({
  name: z.string(),
  value: html,
  verified_at: moment.nullable(),
});

const always = {
  locked: false,
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
  privacy: "public",
  sensitive: false,
  language: null,
  follow_requests_count: 0,
  hide_collections: false,
  discoverable: true,
  indexable: true,
} as const;

const role = { id: "-99", name: "", permissions: "0", color: "", highlighted: false } as const;

/** The viewer's own account. */
export const CredentialAccount = z
  .strictObject({
    ...fields,
    source: z.strictObject({ note: typed, fields: z.array(Field), ...constants(sourceAlways) }),
    ...constants({ role }),
  })
  .meta({ id: "CredentialAccount" });

/** Clients know by this name that there is no such picture. */
const noHeader = "/headers/original/missing.png";

function accountEntity(site: string, user: User, standing: AccountStats): z.output<typeof Account> {
  const { name } = user;
  const { newest } = standing;
  const url = `${site}/@${name}`;
  const avatar = `${site}${avatarUrl(user)}`;
  const header = `${site}${noHeader}`;
  return {
    id: user.id,
    username: name,
    acct: name,
    display_name: user.fullname,
    created_at: formatDate(user.createdAt),
    note: contentOf(presentText(user.bio), site),
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
    fields: fieldsOf(user.website),
    ...always,
  };
}

export function credentialEntity(
  site: string,
  user: User,
  standing: AccountStats,
): z.output<typeof CredentialAccount> {
  const website = { name: "Website", value: user.website, verified_at: null };
  return {
    ...accountEntity(site, user, standing),
    source: {
      note: user.bio,
      fields: user.website === "" ? [] : [website],
      ...sourceAlways,
    },
    role,
  };
}

function fieldsOf(website: string): z.output<typeof Field>[] {
  const url = parseWebsite(website);
  if (url === undefined) return [];
  const value = outwardLink(url.href);
  return [{ name: "Website", value, verified_at: null }];
}

function dayOf(stamp: Stamp): string {
  return formatDate(stamp).slice(0, 10);
}

/** The JSON of an account, and what it was made of beside the user. */
interface Kept {
  site: string;
  standing: AccountStats;
  json: Json;
}

/** By the object, which is the same until the user changes; see redis/memory.ts. */
const kept = new WeakMap<User, Kept>();

/** The JSON of an account, made once for as long as nothing in it changes. */
export function serializeAccount(site: string, user: User, standing: AccountStats): Json {
  const known = kept.get(user);
  if (known?.site === site && isSameStats(known.standing, standing)) return known.json;
  const json = toJson(accountEntity(site, user, standing));
  kept.set(user, { site, standing, json });
  return json;
}

export async function presentAccount({ ctx, site }: ApiView, user: User): Promise<Json> {
  return serializeAccount(site, user, await findAccountStats(ctx, user.id));
}

/** In order; the numbers of all accounts in one round trip or none. */
export async function presentAccounts({ ctx, site }: ApiView, users: User[]): Promise<Json[]> {
  const standings = await readAccountStats(
    ctx,
    users.map((user) => user.id),
  );
  return users.flatMap((user) => {
    const standing = standings.get(user.id);
    return standing === undefined ? [] : [serializeAccount(site, user, standing)];
  });
}
