import type { Ctx } from "../../context.ts";
import { endApp } from "../apps/tokens.ts";
import type { ClientId, UserId } from "../ids.ts";
import type { Holder } from "../scope.ts";
import { handleOf } from "../secrets.ts";
import { holdDrafts } from "../tweets/saved-drafts.ts";
import { closeAllSessions, closeSessions, holderOf, listDevices } from "../users/sessions.ts";
import type { User } from "../users/store.ts";
import { endImport } from "./import-store.ts";
import { endSelfDeletion } from "./self-deletion.ts";

/** Logs one device of a user out, by its handle, and keeps back what it has promised. May run twice. */
export async function endDevice(ctx: Ctx, user: User, handle: string): Promise<void> {
  const devices = await listDevices(ctx, user);
  const sessions = devices.map(({ session }) => session);
  const ended = sessions.filter((session) => handleOf(session) === handle);
  await closeSessions(ctx, user.id, ended);
  await keepBackPromised(ctx, user.id, (holder) => holder === `device:${handle}`);
}

/** Logs out all devices of a user but that of `session`, and keeps back what they have promised. May run twice. */
export async function endOtherDevices(ctx: Ctx, user: UserId, session: string): Promise<void> {
  await closeAllSessions(ctx, user, session);
  const ownHolder = holderOf(session);
  const isOther = (holder: Holder) => holder.startsWith("device:") && holder !== ownHolder;
  await keepBackPromised(ctx, user, isOther);
}

/** Ends the access of an app, and keeps back what it has promised. May run twice. */
export async function endAppAccess(ctx: Ctx, user: UserId, app: ClientId): Promise<void> {
  await endApp(ctx, user, app);
  await keepBackPromised(ctx, user, (holder) => holder === `client:${app}`);
}

/** What these holders have promised waits until its user wants it again. What ends with a generation needs no call. */
async function keepBackPromised(
  ctx: Ctx,
  user: UserId,
  isOver: (holder: Holder) => boolean,
): Promise<void> {
  await endSelfDeletion(ctx, user, isOver);
  await endImport(ctx, user, isOver);
  await holdDrafts(ctx, user, isOver);
}
