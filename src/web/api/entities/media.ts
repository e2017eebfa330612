import { z } from "zod";
import type { Picture, Rendition } from "../../../domain/pictures/picture.ts";
import { isOpen } from "../../../domain/tweets/audience.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import type { User } from "../../../domain/users/store.ts";
import { pictureUrl, signedPictureUrl } from "../../layout/pictures.ts";
import { address, constants, entity } from "./fields.ts";
import type { ApiView } from "./parts.ts";

const size = z.strictObject({
  width: z.int().min(1),
  height: z.int().min(1),
  size: z.string(),
  aspect: z.number(),
});

const always = { type: "image", remote_url: null, preview_remote_url: null } as const;

/** A picture. Apps show a moving one as a picture too: it is a WebP. */
export const MediaAttachment = entity("MediaAttachment", {
  id: z.string(),
  url: address.nullable().describe("Null until the picture is converted."),
  preview_url: address.nullable(),
  text_url: address.nullable(),
  meta: z.strictObject({ original: size, small: size }).nullable(),
  description: z.string().nullable(),
  blurhash: z.string().nullable(),
  ...constants(always),
});

type Media = z.output<typeof MediaAttachment>;

/**
 * The pictures of a tweet, or those of an earlier version of it. Their addresses are signed for the viewer unless
 * everyone may see the tweet.
 */
export function mediaOf(
  { ctx, viewer, site }: ApiView,
  tweet: Tweet,
  author: User,
  pictures: readonly Picture[] = tweet.pictures ?? [],
): Media[] {
  const isSigned = viewer !== undefined && !isOpen(tweet, author);
  const addressOf = isSigned ? signedPictureUrl(ctx, viewer) : pictureUrl;
  return pictures.map((one) => mediaEntity(site, one, addressOf));
}

export function mediaEntity(site: string, picture: Picture, addressOf = pictureUrl): Media {
  const { id, small, large, hash, description } = picture;
  const url = `${site}${addressOf(large.file)}`;
  return {
    ...unconverted(id, description),
    url,
    preview_url: `${site}${addressOf(small.file)}`,
    text_url: url,
    meta: { original: sizeOf(large), small: sizeOf(small) },
    blurhash: hash,
  };
}

/** An upload that is being converted. */
export function unconverted(id: string, description: string): Media {
  return {
    id,
    url: null,
    preview_url: null,
    text_url: null,
    meta: null,
    description: description || null,
    blurhash: null,
    ...always,
  };
}

function sizeOf({ width, height }: Rendition): z.output<typeof size> {
  return { width, height, size: `${width}x${height}`, aspect: width / height };
}
