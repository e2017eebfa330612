import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { toName } from "../domain/accounts/rescue.ts";
import { siteUrl } from "../domain/site-url.ts";
import { findUserByName } from "../domain/users/store.ts";
import { type Command, WrongUsage } from "./command.ts";

/** Prints one URL: the host hands it to the user, who chooses the password. */
export const resetPassword: Command = {
  parameters: "NAME [remove-factors]",
  summary:
    "prints a link to set a new password; it works once, for a day. remove-factors: it also removes passkeys and authenticator app",
  async run(ctx, [name = "", option, ...rest]) {
    const isKnown = option === undefined || option === "remove-factors";
    if (name === "" || !isKnown || rest.length > 0)
      throw new WrongUsage("npm run admin -- reset-password NAME [remove-factors]");
    const user = await findUserByName(ctx, toName(name));
    if (user === undefined) throw new Error(`there is no user ${name}`);
    return siteUrl(ctx, await makeResetLink(ctx, user, { removesFactors: option !== undefined }));
  },
};
