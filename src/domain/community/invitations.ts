import type { Ctx } from "../../context.ts";
import { recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { digestOf, formDigest } from "../secrets.ts";
import { Invalid, required } from "../errors.ts";
import { parseUserId, type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { readSite } from "../site/settings.ts";
import { cleanLine } from "../users/display-text.ts";
import { isAdmin } from "../users/roles.ts";
import { findUser, type User, findUsers } from "../users/store.ts";
import { type Decision, recordEntry, personSubject } from "../moderation/audit.ts";
import { readPage } from "../page.ts";

/** Max invitations of one inviter that have not ended. */
const invitationsKept = mostOf("invitations") / 2;
/** Max accounts that one invitation may let in. */
const mostUses = 100;
/** Max days for which one may be valid. */
const mostDays = 90;
const noteLimit = 100;
const day = 24 * 60 * 60 * 1000;

export interface Invitation {
  /** Identifies the invitation; does not let anyone in. */
  digest: string;
  /** Undefined: made in the shell. */
  by: UserId | undefined;
  createdAt: Stamp;
  uses: number;
  used: number;
  /** Milliseconds since 1970. */
  endsAt: number;
  /** For the inviter: who it is meant for. */
  note: string;
  /** Accounts that came by it, oldest first. */
  guests: UserId[];
  revoked: boolean;
}

type Stored = Omit<Invitation, "digest" | "by">;

/** Whether the user may make invitations, and whether those they made still let anyone in. */
export async function mayInvite(ctx: Ctx, user: User): Promise<boolean> {
  if (user.suspended) return false;
  const { signUp, membersInvite } = await readSite(ctx);
  return isAdmin(ctx, user) || (membersInvite && signUp !== "closed");
}

/**
 * A new invitation. Returns its token, which is stored as a digest only and so is shown once. `by` undefined:
 * made in the shell. The same form, sent again, answers with the same token. Throws Invalid.
 */
export async function makeInvitation(
  ctx: Ctx,
  by: UserId | undefined,
  { uses, days, note, nonce }: { uses: number; days: number; note: string; nonce?: string },
): Promise<string> {
  if (!Number.isInteger(uses) || uses < 1 || uses > mostUses)
    throw new Invalid({ uses: "invitation.uses" });
  if (!Number.isInteger(days) || days < 1 || days > mostDays)
    throw new Invalid({ days: "invitation.days" });
  const now = ctx.now();
  // The nonce of a script may be guessed; the secret of the site cannot.
  const form = formDigest(nonce, ctx.config.sessionSecret, by, uses, days, note);
  const token = `${by ?? site}.${form.toString("base64url", 0, 18)}`;
  const earlier = await listInvitations(ctx, by);
  const same = earlier.find(({ digest }) => digest === digestOf(token));
  if (same !== undefined && !isOpen(same, now)) throw new Invalid({ form: "form.stale" });
  if (same !== undefined) return token;
  const ended = earlier.filter((one) => !isOpen(one, now));
  if (earlier.length - ended.length >= invitationsKept)
    throw new Invalid({ form: "invitation.many" });
  // The oldest ended ones make room, so that the list stays bounded.
  const surplus = ended.slice(invitationsKept).map(({ digest }) => digest);
  const invitations = invitationsOf(ctx, by);
  await invitations.remove(...surplus);
  const invitation: Stored = {
    createdAt: stampAt(now, by ?? userId(1)),
    uses,
    used: 0,
    endsAt: now + days * day,
    note: [...cleanLine(note)].slice(0, noteLimit).join(""),
    guests: [],
    revoked: false,
  };
  if (by !== undefined) await ctx.redis.zadd(keys.inviters, invitation.createdAt, by);
  const added = await invitations.add(digestOf(token), invitation, mostOf("invitations"));
  if (added === undefined) throw new Invalid({ form: "invitation.many" });
  return token;
}

/** All that are kept, newest first: the open ones and some that have ended. */
export async function listInvitations(ctx: Ctx, by: UserId | undefined): Promise<Invitation[]> {
  const invitations = await invitationsOf(ctx, by).list();
  return invitations
    .map(({ field: digest, value }) => ({ digest, by, ...value }))
    .toSorted((one, other) => other.createdAt - one.createdAt);
}

/** Ends an invitation. Accounts that came by it stay. May run twice. */
export async function revokeInvitation(ctx: Ctx, by: UserId | undefined, digest: string) {
  await invitationsOf(ctx, by).change(digest, (one) => ({ ...one, revoked: true }));
}

/** The invitation of a token, if it lets a person in now. */
export async function findInvitation(ctx: Ctx, token: string): Promise<Invitation | undefined> {
  const [, holder = ""] = /^(site|\d{1,15})\.[\w-]{24}$/.exec(token) ?? [];
  const by = parseUserId(holder);
  if (by === undefined && holder !== site) return undefined;
  const digest = digestOf(token);
  const stored = await invitationsOf(ctx, by).find(digest);
  if (stored === undefined || !isOpen(stored.value, ctx.now())) return undefined;
  const invitation = { digest, by, ...stored.value };
  if (by === undefined) return invitation;
  const user = await findUser(ctx, by);
  return user !== undefined && (await mayInvite(ctx, user)) ? invitation : undefined;
}

/** Takes one use, before the account is made: of several at once, only `uses` get one. */
export async function takeUse(ctx: Ctx, { by, digest }: Invitation): Promise<boolean> {
  const now = ctx.now();
  const invitation = await invitationsOf(ctx, by).change(digest, (one) =>
    isOpen(one, now) ? { ...one, used: one.used + 1 } : undefined,
  );
  return invitation !== undefined;
}

/** After takeUse, when no account was made. After a crash in between, the use is lost. */
export async function giveBackUse(ctx: Ctx, { by, digest }: Invitation): Promise<void> {
  await invitationsOf(ctx, by).change(digest, ({ used, ...one }) => ({
    ...one,
    used: Math.max(0, used - 1),
  }));
}

/** After takeUse: notes who came. */
export async function noteGuest(ctx: Ctx, { by, digest }: Invitation, guest: UserId) {
  const change = (one: Stored) => ({ ...one, guests: [...one.guests, guest] });
  await invitationsOf(ctx, by).change(digest, change);
}

/** For erasing an account. */
export async function eraseInvitations(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.zrem(keys.inviters, user);
  await ctx.redis.unlink(keys.invitations(user));
}

const site = "site";

const invitationsOf = recordsAt<Stored, UserId | undefined>((by) =>
  by === undefined ? keys.siteInvitations : keys.invitations(by),
);

export function isOpen({ used, uses, endsAt, revoked }: Stored, now: number): boolean {
  return !revoked && used < uses && endsAt > now;
}

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
  const stored = await invitationsOf(ctx, invitation.by).find(invitation.digest);
  if (required(stored, "invitation").value.revoked) return;
  // Those of the shell have no user: then the subject is the admin.
  const subject = personSubject(invitation.by ?? decision.by);
  await recordEntry(ctx, { ...decision, verb: "uninvite", subject });
  await revokeInvitation(ctx, invitation.by, invitation.digest);
}
