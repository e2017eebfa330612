import type { Ctx } from "../../context.ts";
import { currentScope, type Holder, type Right } from "../scope.ts";
import type { UserId } from "../ids.ts";
import { readUser, type User } from "./store.ts";

/** The right of this request, for what it promises: see decision 4. Outside of requests, that of the user now. */
export async function presentRight(ctx: Ctx, user: UserId): Promise<Right> {
  const right = currentScope.getStore()?.deadline.right;
  return right ?? { generation: (await readUser(ctx, user))?.generation ?? "" };
}

/** Whether a job may do now what was promised by a right. Former versions promised without one: that counts. */
export function mayGoOn(user: User | undefined, right: Right | undefined): user is User {
  if (user === undefined || user.suspended) return false;
  return right === undefined || (right.ended !== true && right.generation === user.generation);
}

/** A right after its holder was logged out; undefined if that is another one, or has ended before. */
export function endedRight(right: Right | undefined, isOver: (holder: Holder) => boolean) {
  const { holder, ended } = right ?? {};
  if (right === undefined || holder === undefined || ended === true || !isOver(holder))
    return undefined;
  return { ...right, ended: true };
}
