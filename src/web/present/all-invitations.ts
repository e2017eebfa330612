import type { Ctx } from "../../context.ts";
import type { Inviter } from "../../domain/community/all-invitations.ts";
import type { Page } from "../../domain/page.ts";
import { endInvitationForm } from "../forms/joining.ts";
import type { Reader } from "../languages/translator.ts";
import { presentInvitations } from "./joining.ts";
import { presentPaging } from "./lists.ts";
import { presentName } from "./people.ts";

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
