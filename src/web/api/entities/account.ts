import type { Ctx } from "../../../context.ts";
import type { UserId } from "../../../domain/ids.ts";
import { type Stamp, stampToDate } from "../../../domain/stamp.ts";
import {
  findAccountStats,
  isSameStats,
  type AccountStats,
  readAccountStats,
} from "../../../domain/timelines/account-stats.ts";
import type { User } from "../../../domain/users/store.ts";
import { parseWebsite } from "../../../domain/users/settings.ts";
import { avatarUrl } from "../../present/avatars.ts";
import { presentText, shorten } from "../../present/text.ts";
import { contentOf, outwardLink } from "./content.ts";

interface Field {
  name: string;
  value: string;
  verified_at: string | null;
}

/** Mastodon's Account, of which Suzume knows no locked, no moved and no automated ones. */
export interface Account {
  id: string;
  username: string;
  acct: string;
  display_name: string;
  locked: false;
  bot: false;
  discoverable: true;
  indexable: true;
  group: false;
  created_at: string;
  note: string;
  url: string;
  uri: string;
  avatar: string;
  avatar_static: string;
  header: string;
  header_static: string;
  followers_count: number;
  following_count: number;
  statuses_count: number;
  /** A day. */
  last_status_at: string | null;
  hide_collections: false;
  noindex: false;
  emojis: [];
  roles: [];
  fields: Field[];
}

/** One's own, with what one has typed. */
export interface CredentialAccount extends Account {
  source: {
    privacy: "public";
    sensitive: false;
    language: null;
    note: string;
    fields: Field[];
    follow_requests_count: 0;
    hide_collections: false;
    discoverable: true;
    indexable: true;
  };
  role: { id: string; name: string; permissions: string; color: string; highlighted: false };
}

/** By this name clients know that there is no such picture. */
const noHeader = "/headers/original/missing.png";

/** `site` is where the site is, without a path. */
export function accountEntity(site: string, user: User, standing: AccountStats): Account {
  const { id, name, fullname, bio } = user;
  const url = `${site}/@${name}`;
  const avatar = `${site}${avatarUrl(user)}`;
  const header = `${site}${noHeader}`;
  return {
    id,
    username: name,
    acct: name,
    display_name: fullname,
    locked: false,
    bot: false,
    discoverable: true,
    indexable: true,
    group: false,
    created_at: formatDate(user.createdAt),
    note: contentOf(presentText(bio), site),
    url,
    uri: url,
    avatar,
    avatar_static: avatar,
    header,
    header_static: header,
    followers_count: standing.followers,
    following_count: standing.followings,
    statuses_count: standing.tweets,
    last_status_at: standing.newest === undefined ? null : dayOf(standing.newest),
    hide_collections: false,
    noindex: false,
    emojis: [],
    roles: [],
    fields: fieldsOf(user.website),
  };
}

export function credentialEntity(
  site: string,
  user: User,
  standing: AccountStats,
): CredentialAccount {
  const website = { name: "Website", value: user.website, verified_at: null };
  return {
    ...accountEntity(site, user, standing),
    source: {
      privacy: "public",
      sensitive: false,
      language: null,
      note: user.bio,
      fields: user.website === "" ? [] : [website],
      follow_requests_count: 0,
      hide_collections: false,
      discoverable: true,
      indexable: true,
    },
    role: { id: "-99", name: "", permissions: "0", color: "", highlighted: false },
  };
}

function fieldsOf(website: string): Field[] {
  const url = parseWebsite(website);
  if (url === undefined) return [];
  const value = outwardLink(url.href, shorten(url.href.replace(/\/$/, "")));
  return [{ name: "Website", value, verified_at: null }];
}

/** As Mastodon spells dates: "2026-11-20T19:48:30.123Z". */
export function formatDate(stamp: Stamp): string {
  return stampToDate(stamp).toISOString();
}

function dayOf(stamp: Stamp): string {
  return formatDate(stamp).slice(0, 10);
}

/** What an account was made of when it was spelled. */
interface Spelled {
  site: string;
  standing: AccountStats;
  json: string;
}

/** By the object: the same until something of the user changes, see redis/memory.ts. */
const spelled = new WeakMap<User, Spelled>();

/** The JSON of an account, made once for as long as nothing in it changes. */
export function serializeAccount(site: string, user: User, standing: AccountStats): string {
  const known = spelled.get(user);
  if (known?.site === site && isSameStats(known.standing, standing)) return known.json;
  const json = JSON.stringify(accountEntity(site, user, standing));
  spelled.set(user, { site, standing, json });
  return json;
}

/** One account, with its numbers as they are this moment. */
export async function presentAccount(ctx: Ctx, site: string, user: User): Promise<string> {
  return serializeAccount(site, user, await findAccountStats(ctx, user.id));
}

/** The JSON of each account, in order; their numbers in one round trip or none. */
export async function presentAccounts(ctx: Ctx, site: string, users: User[]): Promise<string[]> {
  const ids = users.map(({ id }): UserId => id);
  const standings = await readAccountStats(ctx, ids);
  return users.flatMap((user) => {
    const standing = standings.get(user.id);
    return standing === undefined ? [] : [serializeAccount(site, user, standing)];
  });
}
