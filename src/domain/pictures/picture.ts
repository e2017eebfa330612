import type { UploadId } from "../ids.ts";
import type { Problem } from "../errors.ts";

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

/** What became of an upload: a picture without its description, or a reason. */
export type Made =
  { picture: Omit<Picture, "description">; problem?: undefined } | { problem: Problem };
