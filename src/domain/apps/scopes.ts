/** Scopes of an app. The words are those of Mastodon's API. */
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

/** In the order in which they are listed. */
export const allScopes: readonly Scope[] = [...whole, ...parts];

const scopeNames: ReadonlySet<string> = new Set(allScopes);

/** Apps ask every server for these scopes. They would allow nothing here, so they are left out. */
const ignored = /^(admin:(read|write)(:[a-z_]+)?|crypto)$/;

/** Scopes of an app that names none. */
export const defaultScopes = "read";

/** Parses untrusted text, "read write:statuses". Undefined if one word is not a scope, or if no scope is left. */
export function parseScopes(text: string): Scopes | undefined {
  const words = text.split(/[\s+]+/).filter((word) => word !== "" && !ignored.test(word));
  if (words.length === 0 || !words.every((word) => scopeNames.has(word))) return undefined;
  return new Set(allScopes.filter((scope) => words.includes(scope)));
}

/** The shortest text with the same meaning. */
export function formatScopes(scopes: Scopes): string {
  return [...scopes].join(" ");
}

const byFollow = /^(read|write):(follows|blocks|mutes)$/;

/** Whether `granted` includes `wanted`: "read" includes every scope that begins with "read:". */
export function covers(granted: Scopes, wanted: Scope): boolean {
  if (granted.has(wanted)) return true;
  const [group] = wanted.split(":");
  return granted.has(group as Scope) || (granted.has("follow") && byFollow.test(wanted));
}

/** Scopes that an app asks for; undefined if the text is invalid, or exceeds what the app registered. */
export function requestedScopes(most: Scopes, text: string): Scopes | undefined {
  const scopes = parseScopes(text.trim() === "" ? defaultScopes : text);
  const isWithin = scopes !== undefined && [...scopes].every((scope) => covers(most, scope));
  return isWithin ? scopes : undefined;
}
