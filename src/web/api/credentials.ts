import { z } from "zod";
import { Invalid } from "../../domain/errors.ts";
import { changeHeader, removeHeader } from "../../domain/pictures/header.ts";
import { drawAvatar, keepAvatar, removeAvatar } from "../../domain/users/avatars.ts";
import { effectiveAudience } from "../../domain/tweets/audience.ts";
import { mapFields, profileFields } from "../../domain/profile-fields.ts";
import {
  checkProfile,
  chooseAudiences,
  cleanWebsite,
  parseWebsite,
  writeProfile,
} from "../../domain/users/settings.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { filesIn } from "../request/uploads.ts";
import { countVerb } from "../request/limits.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { websiteName } from "./entities/account.ts";
import { CredentialAccount, credentialEntity } from "./entities/own-account.ts";
import { audienceOfName, constants, entity, Visibility, visibilityOf } from "./entities/fields.ts";
import { flag, only, openQuotes, text } from "./input.ts";

/** A list, or as forms spell it: an object with the numbers of the fields. */
const fields = z.preprocess(
  (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.values(value)
      : (value ?? undefined),
  z
    .array(z.object({ name: text.describe("Not kept."), value: text }))
    .max(100)
    .optional(),
);
/** Files are beside the fields: whatever else an app sends as a picture is refused. */
const file = only("avatar.format").describe("A picture, in multipart. All else is refused.");
const profile = z.object({
  display_name: text,
  note: text,
  avatar: file,
  header: file,
  fields_attributes: fields.describe("One address, which is the website. Others are refused."),
  locked: flag.describe("Followers are asked for, and only they see what the account writes."),
  bot: only("profile.bot", false),
  discoverable: only("profile.public", true),
  indexable: only("profile.public", true),
  hide_collections: only("profile.public", false),
  attribution_domains: only("profile.attribution"),
  source: z
    .object({
      privacy: Visibility.exclude(["direct"]).optional(),
      sensitive: only("profile.sensitive", false),
      language: only("profile.language"),
      quote_policy: openQuotes,
    })
    .optional(),
});

const preferences = {
  "posting:default:sensitive": false,
  "posting:default:language": null,
  "posting:default:quote_policy": "public",
  "reading:expand:media": "default",
  "reading:expand:spoilers": false,
  "reading:autoplay:gifs": false,
} as const;

/** The viewer's own account. */
export const credentialEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts/verify_credentials", "The user's own account", {
    access: needs("read:accounts", "profile"),
    answer: CredentialAccount,
    handle: presentCredentials,
  }),
  endpoint("PATCH /api/v1/accounts/update_credentials", "Change the profile", {
    access: needs("write:accounts"),
    body: profile,
    answer: CredentialAccount,
    counts: "profile",
    names: mapFields((name) => profileFields[name].api ?? name),
    async handle(request) {
      const { ctx, req, res } = request;
      refuseFurtherFields(request.body);
      await countVerb(ctx, req, res, "upload", filesIn(req).length);
      await update(request);
      return await presentCredentials(request);
    },
  }),
  removal("avatar", "Remove the profile picture", removeAvatar),
  removal("header", "Remove the header picture", removeHeader),
  endpoint("GET /api/v1/preferences", "Defaults for apps", {
    access: needs("read:accounts"),
    answer: entity("Preferences", {
      "posting:default:visibility": Visibility,
      ...constants(preferences),
    }),
    handle: ({ viewer }) => ({
      "posting:default:visibility": visibilityOf(effectiveAudience(viewer, viewer)),
      ...preferences,
    }),
  }),
];

function removal(name: string, summary: string, remove: typeof removeAvatar): Endpoint {
  return endpoint(`DELETE /api/v1/profile/${name}`, summary, {
    access: needs("write:accounts"),
    answer: CredentialAccount,
    async handle(request) {
      await remove(request.ctx, request.viewer.id);
      return await presentCredentials(request);
    },
  });
}

/** Throws Invalid. */
function refuseFurtherFields(input: z.output<typeof profile>): void {
  const filled = (input.fields_attributes ?? []).filter(
    ({ name = "", value = "" }) => value.trim() !== "" || !["", websiteName].includes(name.trim()),
  );
  const areAddresses = filled.every(
    ({ value = "" }) => parseWebsite(cleanWebsite(value)) !== undefined,
  );
  if (filled.length > 1 || !areAddresses)
    throw new Invalid({ fields_attributes: "profile.fields" });
}

/** What is not sent stays as it is; nothing is written if anything is wrong. */
async function update(request: ApiRequest<User, unknown, z.output<typeof profile>>): Promise<void> {
  const { ctx, req, viewer: user, body: input } = request;
  const texts = await checkProfile(ctx, {
    fullname: input.display_name,
    bio: input.note,
    website: input.fields_attributes && websiteIn(input.fields_attributes),
  });
  const fileOf = (name: string) =>
    filesIn(req).findLast(({ fieldname }) => fieldname === name)?.buffer;
  const [avatar, header] = [fileOf("avatar"), fileOf("header")];
  const drawn = avatar && (await drawAvatar(ctx, user.id, avatar));
  if (header !== undefined) await changeHeader(ctx, user.id, header);
  if (drawn !== undefined) await keepAvatar(ctx, user.id, drawn);
  await writeProfile(ctx, user, texts);
  const audience = audienceOfName(input.source?.privacy);
  if (input.locked === undefined && audience === undefined) return;
  await chooseAudiences(ctx, user, {
    ...(input.locked === undefined ? {} : { protected: input.locked }),
    ...(audience === undefined ? {} : { audience }),
  });
}

/** The first address; Suzume has no place for other fields. */
function websiteIn(typed: { value?: string | undefined }[]): string {
  const values = typed.map(({ value = "" }) => cleanWebsite(value));
  return values.find((value) => parseWebsite(value) !== undefined) ?? "";
}

async function presentCredentials({ ctx, site, viewer }: ApiRequest<User>) {
  return await credentialEntity(ctx, site, (await findUser(ctx, viewer.id)) ?? viewer);
}
