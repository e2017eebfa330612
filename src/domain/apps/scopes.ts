/** What an app may be let in for. The words are those of Mastodon's API. */
const whole = ["read", "write", "follow", "push", "profile"] as const;

const parts = [
  "read:accounts",
  "read:blocks",
  "read:bookmarks",
  "read:favourites",
  "read:filters",
  "read:follows",
  "read:lists",
  "read:mutes",
  "read:notifications",
  "read:search",
  "read:statuses",
  "write:accounts",
  "write:blocks",
  "write:bookmarks",
  "write:conversations",
  "write:favourites",
  "write:filters",
  "write:follows",
  "write:lists",
  "write:media",
  "write:mutes",
  "write:notifications",
  "write:reports",
  "write:statuses",
] as const;

export type Scope = (typeof whole)[number] | (typeof parts)[number];
export type Scopes = ReadonlySet<Scope>;

/** In the order in which they are told. */
export const allScopes: readonly Scope[] = [...whole, ...parts];

const known: ReadonlySet<string> = new Set(allScopes);

/** Apps ask for these of any server; there is nothing here that they would allow, so they are left out. */
const idle = /^(admin:(read|write)(:[a-z_]+)?|crypto)$/;

/** What an app gets that does not say what it wants. */
export const defaultScopes = "read";

/**
 * From untrusted text, "read write:statuses". Undefined if a word of it is no scope, or if none is left.
 */
export function parseScopes(text: string): Scopes | undefined {
  const words = text.split(/[\s+]+/).filter((word) => word !== "" && !idle.test(word));
  if (words.length === 0 || !words.every((word) => known.has(word))) return undefined;
  return new Set(allScopes.filter((scope) => words.includes(scope)));
}

/** The shortest text that says the same. */
export function formatScopes(scopes: Scopes): string {
  return [...scopes].join(" ");
}

const byFollow = /^(read|write):(follows|blocks|mutes)$/;

/** Whether `wanted` is among what was granted: "read" is all that begins with "read:". */
export function covers(granted: Scopes, wanted: Scope): boolean {
  if (granted.has(wanted)) return true;
  const [group] = wanted.split(":");
  return granted.has(group as Scope) || (granted.has("follow") && byFollow.test(wanted));
}

/** What an app asks for; undefined if that is no scopes, or more than the app said that it would. */
export function askedScopes(most: Scopes, text: string): Scopes | undefined {
  const scopes = parseScopes(text.trim() === "" ? defaultScopes : text);
  const isWithin = scopes !== undefined && [...scopes].every((scope) => covers(most, scope));
  return isWithin ? scopes : undefined;
}
