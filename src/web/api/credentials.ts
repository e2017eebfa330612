import { type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { changeAvatar, removeAvatar } from "../../domain/users/avatars.ts";
import { checkProfile, editProfile } from "../../domain/users/settings.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { findStanding } from "../../domain/timelines/account-stats.ts";
import { cleanWebsite, parseWebsite } from "../../domain/users/website.ts";
import { limitProfiles } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { requireScope } from "./bearer.ts";
import { credentialEntity } from "./entities/account.ts";
import { readInput, text } from "./input.ts";
import { renamed } from "./rename-fields.ts";

/** A list, or as forms spell it: an object with the numbers of the fields. */
const fields = z.preprocess(
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.values(value)
      : (value ?? undefined),
  z
    .array(z.object({ value: text }))
    .max(100)
    .optional(),
);
const profile = z.object({ display_name: text, note: text, fields_attributes: fields });
const names = { fullname: "display_name", bio: "note", website: "fields_attributes" };

/** One's own account. */
export function credentialsApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/accounts/verify_credentials", async (_req, res) => {
    await sendCredentials(ctx, res, requireScope(res, "read:accounts", "profile"));
  });

  router.patch("/api/v1/accounts/update_credentials", limitProfiles(ctx), async (req, res) => {
    const viewer = requireScope(res, "write:accounts");
    await renamed(names, () => update(ctx, viewer, req));
    await sendCredentials(ctx, res, viewer);
  });

  router.delete("/api/v1/profile/avatar", async (_req, res) => {
    const viewer = requireScope(res, "write:accounts");
    await removeAvatar(ctx, viewer.id);
    await sendCredentials(ctx, res, viewer);
  });

  router.get("/api/v1/preferences", (_req, res) => {
    requireScope(res, "read:accounts");
    res.json(preferences);
  });

  return router;
}

/** What is not sent stays as it is; nothing is written if anything is wrong. */
async function update(ctx: Ctx, user: User, req: Request): Promise<void> {
  const input = readInput(profile, req.body);
  const changed = {
    fullname: input.display_name ?? user.fullname,
    bio: input.note ?? user.bio,
    website: input.fields_attributes ? websiteIn(input.fields_attributes) : user.website,
  };
  checkProfile(changed);
  if (req.file?.fieldname === "avatar") await changeAvatar(ctx, user.id, req.file.buffer);
  await editProfile(ctx, user, changed);
}

/** The first address; Suzume has no place for other fields. */
function websiteIn(typed: { value?: string | undefined }[]): string {
  const values = typed.map(({ value = "" }) => cleanWebsite(value));
  return values.find((value) => parseWebsite(value) !== undefined) ?? "";
}

async function sendCredentials(ctx: Ctx, res: Response, viewer: User): Promise<void> {
  const [user, standing] = await Promise.all([
    findUser(ctx, viewer.id),
    findStanding(ctx, viewer.id),
  ]);
  res.json(credentialEntity(siteOrigin(ctx, res.req), user ?? viewer, standing));
}

const preferences = {
  "posting:default:visibility": "public",
  "posting:default:sensitive": false,
  "posting:default:language": null,
  "reading:expand:media": "default",
  "reading:expand:spoilers": false,
  "reading:autoplay:gifs": false,
};
