import { z } from "zod";
import { refuseShown, takeBackUpload } from "../../domain/actions/attach-pictures.ts";
import { pauseDeadline } from "../../domain/deadline.ts";
import { Invalid, required } from "../../domain/errors.ts";
import { parseUploadId, type UploadId } from "../../domain/ids.ts";
import {
  addUpload,
  awaitUploads,
  describeUpload,
  newUploadId,
} from "../../domain/pictures/uploads.ts";
import { networkOf } from "../../domain/users/payer.ts";
import type { User } from "../../domain/users/store.ts";
import { signedPictureUrl } from "../layout/pictures.ts";
import { addressOf } from "../request/address.ts";
import { fileIn } from "../request/uploads.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { MediaAttachment, mediaEntity, unconverted } from "./entities/media.ts";
import { anything, only, text } from "./input.ts";

/** The middle only. */
export const noFocus = only("picture.focus", /^\s*-?0(\.0*)?\s*,\s*-?0(\.0*)?\s*$/).describe(
  "Only 0,0, the middle: others are refused.",
);
const described = z.object({
  description: text.describe("What is on it, for people who cannot see it; up to 1000 characters."),
  focus: noFocus,
});
const uploaded = described.extend({
  file: anything("A picture, in multipart."),
  thumbnail: anything("Previews are made of the picture itself."),
});

const names = { pictures: "file" };

/** Max milliseconds of an upload: libraries of apps give up after ten seconds, and may ask again after a 202. */
const longestMilliseconds = 8000;

const ofUser = scoped("write:media", "write:media");
const ofUpload = scoped("write:media", "write:media", uploadIn);

/** Pictures, which apps send before the status that shows them. */
export const mediaEndpoints: readonly Endpoint[] = [
  ...(["v1", "v2"] as const).map((version) =>
    ofUser(`POST /api/${version}/media`, "Upload a picture; 202 while it is converted", {
      body: uploaded,
      answer: MediaAttachment,
      counts: "upload",
      names,
      async handle(request) {
        const { ctx, req, viewer, body } = request;
        const from = networkOf(ctx, addressOf(req));
        const bytes = fileIn(req);
        if (bytes === undefined) throw new Invalid({ file: "field.missing" });
        const description = body.description ?? "";
        const id = newUploadId(req.get("idempotency-key"), viewer.id, description, bytes);
        await addUpload(ctx, viewer.id, { bytes, description, id, from });
        const milliseconds = Math.min(ctx.config.pictureMilliseconds, longestMilliseconds);
        return await answer(request, id, { pending: 202, milliseconds });
      },
    }),
  ),
  ofUpload("GET /api/v1/media/{id}", "An upload; 206 while it is converted", {
    answer: MediaAttachment,
    handle: (request, upload) => answer(request, upload, { pending: 206, milliseconds: 0 }),
  }),
  ofUpload("PUT /api/v1/media/{id}", "Describe an upload that no status shows", {
    body: described,
    answer: MediaAttachment,
    counts: "profile",
    names,
    async handle(request, upload) {
      const { ctx, viewer, body } = request;
      await refuseShown(ctx, { user: viewer.id, upload });
      if (body.description !== undefined)
        await describeUpload(ctx, viewer.id, { upload, description: body.description });
      return await answer(request, upload, { pending: 206, milliseconds: 0 });
    },
  }),
  ofUpload("DELETE /api/v1/media/{id}", "Delete an upload that no status shows", {
    names,
    handle: ({ ctx, viewer }, upload) => takeBackUpload(ctx, { user: viewer.id, upload }),
  }),
];

/** The upload in the path. Throws NotFound. */
function uploadIn({ params }: ApiRequest): UploadId {
  return required(parseUploadId(params.id), "upload");
}

/** The upload, with the status `pending` if it is not converted after some time. Throws NotFound, Invalid. */
async function answer(
  { ctx, res, site, viewer }: ApiRequest<User>,
  id: UploadId,
  { pending, milliseconds }: { pending: number; milliseconds: number },
): Promise<z.output<typeof MediaAttachment>> {
  const [upload] = await pauseDeadline(() =>
    awaitUploads(ctx, viewer.id, { ids: [id], milliseconds }),
  );
  const { made, description } = required(upload, "upload");
  if (made === undefined) {
    res.status(pending);
    return unconverted(id, description);
  }
  if (made.problem !== undefined) throw new Invalid({ file: made.problem });
  // Only its user may see an upload that no tweet shows.
  return mediaEntity(site, { ...made.picture, description }, signedPictureUrl(ctx, viewer));
}
