import type { UploadId } from "../ids.ts";

/** Max pictures of a tweet. */
export const picturesAtMost = 4;
/** Max graphemes of a description. */
export const descriptionLimit = 1000;

/** A stored WebP file. */
export interface Rendition {
  /** Its name in the storage, and in its address. */
  file: string;
  width: number;
  height: number;
  /** Its size; missing in tweets from before it was noted. */
  bytes?: number;
}

/** A picture of a tweet; stored as JSON, so fields are only added. */
export interface Picture {
  id: UploadId;
  /** For one of several pictures in a list; missing in old tweets, and where `small` is little larger. */
  tiny?: Rendition;
  /** For lists; of a moving picture only its first frame. */
  small: Rendition;
  large: Rendition;
  /** Present if `large` moves. */
  moving?: true;
  /** A WebP of a few pixels in base64: shown while the picture loads. */
  blur: string;
  /** The same for apps: a BlurHash. */
  hash: string;
  /** What is on it, for those who do not see it; may be empty. */
  description: string;
}

/** User, upload and digest of the content. The upload's id makes it impossible to guess. */
const fileName = /^([1-9]\d{0,14})-([0-9a-f]{24})-[0-9a-f]{16}\.webp$/;

/** The owner and the upload of a rendition; undefined if it has not the form of its name. */
export function parseFileName(name: string): { user: string; upload: string } | undefined {
  const [, user, upload] = fileName.exec(name) ?? [];
  return user === undefined || upload === undefined ? undefined : { user, upload };
}

/** All files of a picture. */
export function filesOf({
  tiny,
  small,
  large,
}: Pick<Picture, "tiny" | "small" | "large">): string[] {
  return [...new Set([...(tiny === undefined ? [] : [tiny.file]), small.file, large.file])];
}
