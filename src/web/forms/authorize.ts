import type { Asked } from "../../domain/apps/authorize.ts";

export const authorizeAction = "/oauth/authorize";

/** What an app may say, in OAuth's words. */
const names = [
  "response_type",
  "client_id",
  "redirect_uri",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
] as const;

const longestState = 2000;

/** A request of an app, as it came with a query or with our own form. */
export interface Authorization {
  asked: Asked;
  /** The app's own, to be given back as it is. */
  state: string | undefined;
  /** Whether something is there twice, or too long. */
  malformed: boolean;
  /** Whether whoever is signed in has to log in once more. */
  forced: boolean;
  /** All of it again, for the form, and for the way back from the log-in page. */
  fields: { name: string; value: string }[];
}

export function readAuthorization(raw: unknown): Authorization {
  const given = Object.entries(raw ?? {}) as [string, unknown][];
  const texts = new Map(
    given.filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
  const read = (name: (typeof names)[number]) => texts.get(name) ?? "";
  const state = texts.get("state");
  const isTooLong = state !== undefined && state.length > longestState;
  return {
    asked: {
      client: read("client_id"),
      redirectUri: read("redirect_uri"),
      responseType: read("response_type"),
      scope: read("scope"),
      challenge: read("code_challenge"),
      challengeMethod: read("code_challenge_method"),
    },
    state: isTooLong ? undefined : state,
    malformed:
      isTooLong || given.some(([name, value]) => isName(name) && typeof value !== "string"),
    forced: /^(true|1)$/.test(texts.get("force_login") ?? ""),
    fields: names.flatMap((name) => {
      const value = texts.get(name);
      return value === undefined ? [] : [{ name, value }];
    }),
  };
}

function isName(name: string): boolean {
  return (names as readonly string[]).includes(name);
}

/** Where the same is asked again, a path of this site. */
export function authorizePath({ fields }: Authorization): string {
  const query = new URLSearchParams(
    fields.map(({ name, value }): [string, string] => [name, value]),
  );
  return `${authorizeAction}?${query.toString()}`;
}
