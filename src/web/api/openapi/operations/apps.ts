import { z } from "zod";
import { emptyObject, one, type Operation } from "../operation.ts";

const credentials = {
  client_id: z.string().optional().describe("Or with HTTP Basic."),
  client_secret: z.string().optional(),
};

/** How apps come in. The page on which people let them in is GET /oauth/authorize. */
export const appOperations: readonly Operation[] = [
  {
    method: "post",
    path: "/api/v1/apps",
    summary: "Register an app",
    access: "anybody",
    body: z.object({
      client_name: z.string(),
      redirect_uris: z
        .union([z.string(), z.array(z.string())])
        .describe("One or several; urn:ietf:wg:oauth:2.0:oob shows the code on a page."),
      scopes: z.string().optional().describe("With spaces in between; read, if nothing is said."),
      website: z.string().optional(),
    }),
    answer: one("CredentialApplication"),
  },
  {
    method: "get",
    path: "/api/v1/apps/verify_credentials",
    summary: "The app that asks",
    access: "app",
    answer: one("Application"),
  },
  {
    method: "post",
    path: "/oauth/token",
    summary: "A token for a code, or for the app itself",
    access: "anybody",
    body: z.object({
      ...credentials,
      grant_type: z.enum(["authorization_code", "client_credentials"]),
      code: z.string().optional(),
      redirect_uri: z.string().optional(),
      code_verifier: z.string().optional().describe("PKCE, S256."),
      scope: z.string().optional(),
    }),
    answer: one("Token"),
  },
  {
    method: "post",
    path: "/oauth/revoke",
    summary: "Give a token back",
    access: "anybody",
    body: z.object({ ...credentials, token: z.string() }),
    answer: emptyObject,
  },
];
