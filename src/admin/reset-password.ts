import { makeResetLink } from "../domain/accounts/reset-links.ts";
import { toName } from "../domain/accounts/rescue.ts";
import { siteUrl } from "../domain/site-url.ts";
import { findUserByName } from "../domain/users/store.ts";
import { type Command, WrongUsage } from "./command.ts";

/** Prints one URL: the host hands it to the user, who chooses the password. */
export const resetPassword: Command = {
  parameters: "NAME",
  summary: "prints a link to set a new password; it works once, for a day",
  async run(ctx, [name = "", ...rest]) {
    if (name === "" || rest.length > 0)
      throw new WrongUsage("npm run admin -- reset-password NAME");
    const user = await findUserByName(ctx, toName(name));
    if (user === undefined) throw new Error(`there is no user ${name}`);
    return siteUrl(ctx, await makeResetLink(ctx, user));
  },
};
