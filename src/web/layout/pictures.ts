import { headerOf } from "../../domain/pictures/header.ts";
import type { Picture, Rendition } from "../../domain/pictures/picture.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import type { Translator } from "../languages/translator.ts";
import type { Ctx } from "../../context.ts";
import { parseUserId } from "../../domain/ids.ts";
import { isSameSecret, signWith } from "../../domain/secrets.ts";

/** Address of a stored file. It changes with the content, so clients may cache it for good. */
export function pictureUrl(file: string): string {
  return `/pictures/${file}`;
}

/** The header picture of a profile; undefined if there is none. */
export function presentHeader(user: User) {
  const files = headerOf(user);
  if (files === undefined) return undefined;
  const { small, large } = files;
  const { width, height } = large;
  return { src: pictureUrl(small.file), srcset: srcsetOf([small, large]), width, height };
}

function srcsetOf(files: Rendition[]): string {
  return files.map(({ file, width }) => `${pictureUrl(file)} ${width}w`).join(", ");
}

/** Undefined if the tweet has none. `isFirst`: these are in view when the page opens. */
export function presentPictures(
  words: Translator,
  { id, pictures = [], sensitive, warning }: Tweet,
  isFirst = false,
) {
  if (pictures.length === 0) return undefined;
  return {
    /** What the cover of sensitive pictures says. A warning covers them already. */
    cover: sensitive === true && warning === undefined ? words.t("picture.sensitive") : undefined,
    /** For machines, which know neither covers nor warnings. */
    photo: sensitive === true || warning !== undefined ? undefined : "u-photo",
    items: pictures.map((picture, nth) => {
      const { tiny, small, large, moving, blur } = picture;
      const shown = moving === true ? large : small;
      return {
        href: `/tweets/${id}/pictures/${nth + 1}`,
        src: pictureUrl(shown.file),
        /** Several sizes, for browsers to choose. */
        srcset: tiny && moving !== true ? srcsetOf([tiny, small]) : undefined,
        sizes:
          pictures.length === 1 ? "(width >= 48rem) 34rem, 88vw" : "(width >= 48rem) 17rem, 44vw",
        /** The first frame of a moving picture, for readers who want no motion. */
        still: moving === true ? pictureUrl(small.file) : undefined,
        width: shown.width,
        height: shown.height,
        alt: altOf(words, pictures, nth),
        blur: `data:image/webp;base64,${blur}`,
        /** When browsers load it; undefined: at once. */
        loading: isFirst ? undefined : "lazy",
        priority: isFirst && nth === 0 ? "high" : undefined,
      };
    }),
  };
}

/** A page with one picture, counted from 1. Undefined if the tweet has fewer. */
export function presentPicture(words: Translator, tweet: Tweet, number: number) {
  const { id, pictures = [] } = tweet;
  const picture = pictures[number - 1];
  if (picture === undefined) return undefined;
  const tweetUrl = `/tweets/${id}`;
  const urlOf = (other: number) =>
    other < 1 || other > pictures.length ? undefined : `${tweetUrl}/pictures/${other}`;
  const { file, width, height } = picture.large;
  return {
    title: titleOf(words, number, pictures.length),
    tweetUrl,
    previousUrl: urlOf(number - 1),
    nextUrl: urlOf(number + 1),
    picture: {
      src: pictureUrl(file),
      width,
      height,
      alt: altOf(words, pictures, number - 1),
      caption: picture.description || words.t("picture.noDescription"),
    },
  };
}

/** The description; without one the picture's number, as links need a name. */
function altOf(words: Translator, pictures: readonly Picture[], nth: number): string {
  return pictures[nth]?.description || titleOf(words, nth + 1, pictures.length);
}

function titleOf(words: Translator, number: number, count: number): string {
  return words.t("picture.one", { number: String(number), count: String(count) });
}

/**
 * Addresses of pictures that not everyone may see, for one viewer: apps load pictures without a token. Whether the viewer
 * still may see the picture is asked at each request. The addresses end with the viewer's password.
 */
export function signedPictureUrl(ctx: Ctx, viewer: User): (file: string) => string {
  return (file) => `${pictureUrl(file)}?for=${viewer.id}&key=${keyOf(ctx, file, viewer)}`;
}

/** The viewer for whom the address of a picture was signed; undefined for an address without a valid key. */
export async function signedViewer(
  ctx: Ctx,
  file: string,
  { for: id = "", key = "" }: Record<string, string | undefined>,
): Promise<User | undefined> {
  const named = parseUserId(id);
  const viewer = named && (await findUser(ctx, named));
  if (viewer === undefined || viewer.suspended) return undefined;
  return isSameSecret(key, keyOf(ctx, file, viewer)) ? viewer : undefined;
}

function keyOf({ config }: Ctx, file: string, { id, generation }: User): string {
  if (config.sessionSecret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return signWith(config.sessionSecret, "picture", `${file} ${id} ${generation}`);
}
