import type { Ctx } from "../../../context.ts";
import type { Inviter } from "../../../domain/community/all-invitations.ts";
import type { Application } from "../../../domain/community/applications.ts";
import { type Invitation, isOpen } from "../../../domain/community/invitations.ts";
import type { Page } from "../../../domain/page.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import { type User, findUser, findUsers } from "../../../domain/users/store.ts";
import type { Reader, Translator } from "../../languages/translator.ts";
import { type Form, freshNonce, showForm, textsOf } from "../../layout/form.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentMoment } from "../../layout/time.ts";
import { decideForm, endInvitationForm, inviteForm, revokeForm } from "./form.ts";

/** What the sign-up form asks for on this site, and who invited the person. */
export async function presentJoining(
  ctx: Ctx,
  words: Translator,
  { signUp, rules }: SiteSettings,
  invitation: Invitation | undefined,
) {
  const inviter = invitation?.by === undefined ? undefined : await findUser(ctx, invitation.by);
  const isClosed = signUp === "closed";
  const asksReason = signUp === "approve" && invitation === undefined;
  const needsInvitation = signUp === "invite" && invitation === undefined;
  return {
    rules: linesOf(rules),
    invitedBy: inviter && words.t("joining.invitedBy", { name: inviter.name }),
    submitLabel: words.t(asksReason ? "joining.request" : "nav.signup"),
    asksReason,
    // Without a form: why there is none.
    refusal: isClosed || needsInvitation ? words.t(isClosed ? closed : needed) : undefined,
  };
}

const closed = "problem.signup.closed";
const needed = "problem.invitation.needed";

/** One rule a line. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Invitations with who came by each, and the form that ends an open one. */
export async function presentInvitations(
  ctx: Ctx,
  words: Translator,
  invitations: Invitation[],
  form: Form<unknown> = revokeForm,
) {
  const guests = await findUsers(ctx, new Set(invitations.flatMap((one) => one.guests)));
  return invitations.map((one) => presentInvitation(words, one, { guests, form, now: ctx.now() }));
}

function presentInvitation(
  words: Translator,
  one: Invitation,
  { guests, form, now }: { guests: ReadonlyMap<string, User>; form: Form<unknown>; now: number },
) {
  const { digest, note, used, uses, endsAt, by } = one;
  const came = one.guests.flatMap((id) => {
    const guest = guests.get(id);
    return guest === undefined ? [] : [presentName(guest)];
  });
  const end = { time: presentMoment(words, endsAt * 1000) };
  const open = isOpen(one, now);
  return {
    note,
    used: words.t("joining.used", { used: words.number(used), uses: words.number(uses) }),
    ends: open ? words.pieces("joining.ends", end) : [words.t("joining.ended")],
    guests: came,
    revoke: open
      ? showForm(words, form, { invitation: digest, inviter: by ?? "", ...freshNonce() })
      : undefined,
  };
}

/** The form for a new invitation. */
export function presentInviteForm(words: Translator, typed: unknown, problems = {}) {
  const values = typed === undefined ? { uses: "1", days: "7" } : textsOf(typed);
  return showForm(words, inviteForm, { ...values, ...freshNonce() }, problems);
}

/** Applicants, with the forms to accept and to decline each for those who may. */
export function presentApplications(reader: Reader, page: Page<Application>, mayDecide: boolean) {
  const { words } = reader;
  return {
    title: `${words.t("joining.requests")} · ${words.t("nav.moderation")}`,
    applications: page.items.map(({ user, reason, since }) => ({
      ...presentName(user),
      reason,
      since: words.pieces("joining.since", { time: presentMoment(words, since) }),
      form: mayDecide
        ? showForm(words, decideForm, { applicant: user.id, ...freshNonce() })
        : undefined,
    })),
    ...presentPaging(reader, decideForm.action, page, "joining.noRequests"),
  };
}

/** The invitations of all users, by inviter, with the way to end each. */
export async function presentAllInvitations(ctx: Ctx, reader: Reader, page: Page<Inviter>) {
  const { words } = reader;
  const inviters = await Promise.all(
    page.items.map(async ({ user, invitations }) => ({
      user: user && presentName(user),
      heading: user === undefined ? words.t("joining.byShell") : `@${user.name}`,
      id: `by-${user?.id ?? "shell"}`,
      invitations: await presentInvitations(ctx, words, invitations, endInvitationForm),
    })),
  );
  return {
    title: `${words.t("joining.all")} · ${words.t("nav.moderation")}`,
    inviters,
    ...presentPaging(reader, endInvitationForm.action, page, "joining.noneAtAll"),
  };
}
