import { createHash, randomBytes } from "node:crypto";
import {
  createOAuthAPIClient,
  createRestAPIClient,
  createStreamingAPIClient,
  type mastodon,
} from "masto";
import { hiddenFields } from "../support/inspect/page.ts";
import type { Visitor } from "../support/actors/visitor.ts";

/** Redirect URI of apps without an address: the page shows the code. */
export const outOfBand = "urn:ietf:wg:oauth:2.0:oob";
export const everything = "read write follow push";

/** An authorized app. */
export interface Connected {
  rest: mastodon.rest.Client;
  /** Connects a WebSocket to the address that the instance announces. */
  streaming(): Promise<mastodon.streaming.Client>;
  token: string;
  app: mastodon.v1.Client;
  revoke(): Promise<void>;
}

/** Registers an app at a running site by a published library, and authorizes it by the site's forms. */
export async function connectApp(
  url: string,
  visitor: Visitor,
  { scope = everything, name = "Test App" } = {},
): Promise<Connected> {
  const app = await createRestAPIClient({ url }).v1.apps.create({
    clientName: name,
    redirectUris: outOfBand,
    scopes: scope,
  });
  const clientId = app.clientId ?? "";
  const clientSecret = app.clientSecret ?? "";
  const verifier = randomBytes(32).toString("base64url");
  const code = await authorize(visitor, { clientId, scope, verifier });
  const oauth = createOAuthAPIClient({ url });
  const grant = {
    grantType: "authorization_code" as const,
    clientId,
    clientSecret,
    redirectUri: outOfBand,
    code,
    scope,
    codeVerifier: verifier,
  };
  const { accessToken } = await oauth.token.create(grant);
  const rest = createRestAPIClient({ url, accessToken });
  return {
    rest,
    async streaming() {
      const { configuration } = await rest.v2.instance.fetch();
      const { streaming: streamingApiUrl } = configuration.urls;
      return createStreamingAPIClient({ streamingApiUrl, accessToken, retry: false });
    },
    token: accessToken,
    app,
    revoke: async () => oauth.revoke({ clientId, clientSecret, token: accessToken }),
  };
}

/** The code that the authorization page shows. */
export async function authorize(
  visitor: Visitor,
  { clientId, scope, verifier }: { clientId: string; scope: string; verifier: string },
): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: outOfBand,
    scope,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const { text: page } = await visitor.get(`/oauth/authorize?${query.toString()}`).expect(200);
  const fields = { ...hiddenFields(page, "/oauth/authorize"), decision: "allow" };
  const { text: shown } = await visitor.post("/oauth/authorize", fields).expect(200);
  const code = /<code[^>]*>([\w.-]{20,})<\/code>/.exec(shown)?.[1];
  if (code === undefined) throw new Error("no code on the page");
  return code;
}
