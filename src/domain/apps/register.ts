import type { Ctx } from "../../context.ts";
import { takeIds } from "../counters.ts";
import { Invalid } from "../errors.ts";
import { parseClientId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { cleanLine, fitsGraphemes, isBlank } from "../users/display-text.ts";
import { parseWebsite } from "../users/settings.ts";
import { redirectProblem } from "./redirect-uris.ts";
import { parseScopes, formatScopes } from "./scopes.ts";
import { type App, storeApp } from "./store.ts";
import { digestOf, newSecret } from "../secrets.ts";

const nameLimit = 60;
const websiteLimit = 2000;
/** Max bytes of all that an app sends, as any client may register apps. */
const bytesLimit = 2000;

/** What an app says about itself. */
export interface Registration {
  name: string;
  redirectUris: string[];
  scopes: string;
  website: string;
}

/**
 * Registers an app; any client may do so. The secret is returned only here. Throws Invalid, with the names of
 * the API's fields.
 */
export async function registerApp(
  ctx: Ctx,
  input: Registration,
): Promise<{ app: App; secret: string }> {
  const name = cleanLine(input.name);
  const website = cleanLine(input.website);
  const scopes = parseScopes(input.scopes);
  if (isBlank(name)) throw new Invalid({ client_name: "app.empty" });
  if (!fitsGraphemes(name, nameLimit)) throw new Invalid({ client_name: "app.long" });
  const problem = redirectProblem(input.redirectUris);
  if (problem !== undefined) throw new Invalid({ redirect_uris: problem });
  if (scopes === undefined) throw new Invalid({ scopes: "scopes.unknown" });
  if (website !== "" && (website.length > websiteLimit || parseWebsite(website) === undefined))
    throw new Invalid({ website: "website.format" });
  const redirectUris = [...new Set(input.redirectUris)];
  const text = [name, website, formatScopes(scopes), ...redirectUris].join(" ");
  if (Buffer.byteLength(text) > bytesLimit) throw new Invalid({ client_name: "app.large" });
  const client = parseClientId(newSecret(24));
  if (client === undefined) throw new TypeError("an id of an app has changed its form");
  const secret = newSecret();
  const id = String(await takeIds(ctx, "apps"));
  const app = {
    id,
    client,
    name,
    website,
    scopes,
    redirectUris,
    secret: digestOf(secret),
    createdAt: stampAt(ctx.now(), id),
  };
  await storeApp(ctx, app);
  return { app, secret };
}
