import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { pauseDeadline } from "../deadline.ts";
import type { Drawings } from "../drawing/child.ts";
import { contentDigest, draw, type Drawn } from "../drawing/draw.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { promiseRemoval, reconcile } from "../promises.ts";
import { charge, isSpent } from "./payer.ts";
import { findUsers, type User } from "./store.ts";

/** Path of an uploaded picture; undefined without one. */
export function avatarPath({ id, avatar }: Pick<User, "id" | "avatar">): string | undefined {
  return avatar === "" ? undefined : `/avatars/${id}-${avatar}.webp`;
}

/**
 * Makes an uploaded picture the user's avatar. The stored bytes are the truth; `avatar` in the user's hash
 * follows them. The chore is promised first and makes them agree if this process ends between the two writes.
 * Of two uploads at once, one wins. Throws Invalid beside `avatar`, TooMany.
 */
export async function changeAvatar(ctx: Ctx, user: UserId, upload: Buffer): Promise<void> {
  await keepAvatar(ctx, user, await drawAvatar(ctx, user, upload));
}

/** The first half of changeAvatar: writes nothing. */
export async function drawAvatar(ctx: Ctx, user: UserId, upload: Buffer): Promise<Buffer> {
  return await drawFor(ctx, user, { what: "avatar", upload, queue: "profiles" });
}

/** The second half of changeAvatar. */
export async function keepAvatar(ctx: Ctx, user: UserId, picture: Buffer): Promise<void> {
  await ctx.jobs.chore("reconcile-avatar", { user }, "later");
  await ctx.redis.set(keys.avatar(user), picture);
  await reconcileAvatar(ctx, user);
}

/** See changeAvatar. Promises nothing if there is no avatar: removing has no limit. */
export async function removeAvatar(ctx: Ctx, user: UserId): Promise<void> {
  if ((await ctx.redis.exists(keys.avatar(user))) === 1) {
    await promiseRemoval(ctx, () => ctx.jobs.chore("reconcile-avatar", { user }, "later"));
    await ctx.redis.del(keys.avatar(user));
  }
  await reconcileAvatar(ctx, user);
}

/**
 * The chore: sets the digest in the user's hash to that of the stored picture. Who knows the uploaded picture cannot
 * guess it: each stored picture contains a random id. Deletes the picture of a user who is gone.
 */
export async function reconcileAvatar(ctx: Ctx, user: UserId): Promise<void> {
  await reconcile(
    async () => {
      const picture = await ctx.redis.getBuffer(keys.avatar(user));
      return picture === null ? "" : contentDigest(picture);
    },
    async (digest) => {
      const exists = await ctx.redis.setField(keys.user(user), "avatar", digest);
      if (exists === 0) await ctx.redis.del(keys.avatar(user));
    },
  );
}

/** A WebP. Undefined if the stored picture has another digest, or its user is gone or suspended. */
export async function findAvatar(ctx: Ctx, user: UserId, digest: string) {
  const [picture, users] = await Promise.all([
    ctx.redis.getBuffer(keys.avatar(user)),
    findUsers(ctx, [user]),
  ]);
  if (users.get(user)?.suspended !== false) return undefined;
  return picture !== null && contentDigest(picture) === digest ? picture : undefined;
}

/**
 * Draws an upload of a user in turns with other users, within the user's time of the day: refused uploads take time,
 * too. A request waits for its turn. Throws Invalid beside `what`, TooMany.
 */
export async function drawFor<What extends keyof Drawings>(
  ctx: Ctx,
  user: UserId,
  { what, upload, queue }: { what: What; upload: Buffer; queue: string },
): Promise<Drawn<What>> {
  if (await isSpent(ctx, "drawingSecond", { user }))
    throw new Invalid({ [what]: "picture.budget" });
  let seconds = 0;
  try {
    const spend = (milliseconds: number) => void (seconds += milliseconds / 1000);
    return await pauseDeadline(() => draw(what, upload, { place: { queue, client: user }, spend }));
  } finally {
    await charge(ctx, "drawingSecond", { user }, Math.ceil(seconds));
  }
}
