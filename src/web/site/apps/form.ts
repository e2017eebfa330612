import { textsOf } from "../../layout/form.ts";

export const authorizeAction = "/oauth/authorize";

/** OAuth parameters of an app's request. */
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

/** Authorization request of an app, from a query or from our own form. */
export type Authorization = ReturnType<typeof readAuthorization>;

export function readAuthorization(raw: unknown) {
  const parameters = new Map<string, unknown>(Object.entries(raw ?? {}));
  const texts = textsOf(raw);
  const read = (name: (typeof names)[number]) => texts[name] ?? "";
  const { state } = texts;
  const isTooLong = state !== undefined && state.length > longestState;
  const isRepeated = names.some((name) => parameters.has(name) && texts[name] === undefined);
  return {
    request: {
      client: read("client_id"),
      redirectUri: read("redirect_uri"),
      responseType: read("response_type"),
      scope: read("scope"),
      challenge: read("code_challenge"),
      challengeMethod: read("code_challenge_method"),
    },
    /** Opaque value of the app, returned unchanged. */
    state: isTooLong ? undefined : state,
    malformed: isTooLong || isRepeated,
    /** True if a signed-in user has to log in again. */
    forced: /^(true|1)$/.test(texts["force_login"] ?? ""),
    /** All parameters, for the form and for the return from the log-in page. */
    fields: names.flatMap((name) => {
      const value = texts[name];
      return value === undefined ? [] : { name, value };
    }),
  };
}

/** Path on this site that repeats the request. */
export function authorizePath({ fields }: Authorization): string {
  const query = new URLSearchParams(
    fields.map(({ name, value }): [string, string] => [name, value]),
  );
  return `${authorizeAction}?${query.toString()}`;
}
