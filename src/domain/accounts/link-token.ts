import { digestOf, newSecret } from "../apps/store.ts";
import { parseUserId, type UserId } from "../ids.ts";

/** Where the stored part of a link is found. */
interface LinkLocation {
  user: UserId;
  /** Digest of the token: reading the database is not enough to use a link. */
  digest: string;
}

/** Secret part of a one-time link. It begins with the id of its user, under which its digest is stored. */
export function newLinkToken(user: UserId): { token: string; digest: string } {
  const token = `${user}.${newSecret()}`;
  return { token, digest: digestOf(token) };
}

/** Undefined for text that cannot be a token. */
export function locateLink(token: string): LinkLocation | undefined {
  const [, holder = ""] = /^(\d{1,15})\.[\w-]{43}$/.exec(token) ?? [];
  const user = parseUserId(holder);
  return user && { user, digest: digestOf(token) };
}
