import type { Request, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { changeAvatar, removeAvatar } from "../../domain/users/avatars.ts";
import {
  checkProfile,
  editProfile,
  cleanWebsite,
  parseWebsite,
} from "../../domain/users/settings.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { findAccountStats } from "../../domain/timelines/account-stats.ts";
import { limitProfiles } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, needs, one } from "./endpoint.ts";
import { credentialEntity } from "./entities/account.ts";
import { anything, text } from "./input.ts";
import { renamed } from "./rename-fields.ts";

/** A list, or as forms spell it: an object with the numbers of the fields. */
const fields = z.preprocess(
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.values(value)
      : (value ?? undefined),
  z
    .array(z.object({ name: anything("Not kept."), value: text }))
    .max(100)
    .optional(),
);
const profile = z.object({
  display_name: text,
  note: text,
  avatar: anything("A picture, in multipart."),
  fields_attributes: fields.describe("The first address among the values is the website."),
});
const names = { fullname: "display_name", bio: "note", website: "fields_attributes" };

/** One's own account. */
export const credentialEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/accounts/verify_credentials",
    summary: "Oneself",
    access: needs("read:accounts", "profile"),
    answer: one("CredentialAccount"),
    async handle({ ctx, res, viewer }) {
      await sendCredentials(ctx, res, viewer);
    },
  }),
  endpoint({
    method: "patch",
    path: "/api/v1/accounts/update_credentials",
    summary: "Change one's profile",
    access: needs("write:accounts"),
    body: profile,
    answer: one("CredentialAccount"),
    before: (ctx) => [limitProfiles(ctx)],
    async handle({ ctx, req, res, viewer, body }) {
      await renamed(names, () => update(ctx, viewer, body, req.file));
      await sendCredentials(ctx, res, viewer);
    },
  }),
  endpoint({
    method: "delete",
    path: "/api/v1/profile/avatar",
    summary: "Take one's picture away",
    access: needs("write:accounts"),
    answer: one("CredentialAccount"),
    async handle({ ctx, res, viewer }) {
      await removeAvatar(ctx, viewer.id);
      await sendCredentials(ctx, res, viewer);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/preferences",
    summary: "What apps begin with",
    access: needs("read:accounts"),
    answer: one("Preferences"),
    handle({ res }) {
      res.json(preferences);
    },
  }),
];

/** What is not sent stays as it is; nothing is written if anything is wrong. */
async function update(
  ctx: Ctx,
  user: User,
  input: z.output<typeof profile>,
  file: Request["file"],
): Promise<void> {
  const changed = {
    fullname: input.display_name ?? user.fullname,
    bio: input.note ?? user.bio,
    website: input.fields_attributes ? websiteIn(input.fields_attributes) : user.website,
  };
  checkProfile(changed);
  if (file?.fieldname === "avatar") await changeAvatar(ctx, user.id, file.buffer);
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
    findAccountStats(ctx, viewer.id),
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
