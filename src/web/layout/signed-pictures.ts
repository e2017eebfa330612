import type { Ctx } from "../../context.ts";
import { parseUserId } from "../../domain/ids.ts";
import { isSameSecret, signWith } from "../../domain/secrets.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { pictureUrl } from "./pictures.ts";

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
