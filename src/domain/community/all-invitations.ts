import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { required } from "../errors.ts";
import { type UserId, userId } from "../ids.ts";
import { type Decision, recordEntry } from "../moderation/audit.ts";
import { personSubject } from "../moderation/subject.ts";
import { readPage } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { findUsers, type User } from "../users/store.ts";
import { type Invitation, listInvitations, revokeInvitation } from "./invitations.ts";

/** Inviters on one page; each has at most 100 invitations. */
const invitersShown = 10;

/** All who have invited, those with the newest invitation first; the shell is on the first page. */
export async function invitersPage(ctx: Ctx, before: Stamp | undefined) {
  const range = { before, limit: invitersShown };
  const { items, older } = await readPage(ctx.redis, keys.inviters, range);
  const ids = items.map(({ id }) => userId(id));
  const users = await findUsers(ctx, ids);
  const listOf = async (user: User | undefined) => ({
    user,
    invitations: await listInvitations(ctx, user?.id),
  });
  const shell = before === undefined ? [undefined] : [];
  const all = await Promise.all([...shell, ...users.values()].map(listOf));
  return { items: all.filter(({ invitations }) => invitations.length > 0), older };
}

/** Ends an invitation of any user, and writes that into the audit log first. Throws NotFound. */
export async function endInvitation(
  ctx: Ctx,
  decision: Decision & { by: UserId },
  invitation: Pick<Invitation, "by" | "digest">,
): Promise<void> {
  const invitations = await listInvitations(ctx, invitation.by);
  const stored = invitations.find(({ digest }) => digest === invitation.digest);
  if (required(stored, "invitation").revoked) return;
  // Those of the shell have no user: then the subject is the admin.
  const subject = personSubject(invitation.by ?? decision.by);
  await recordEntry(ctx, { ...decision, verb: "uninvite", subject });
  await revokeInvitation(ctx, invitation.by, invitation.digest);
}
