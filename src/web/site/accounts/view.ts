import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/problems.ts";
import type { Page } from "../../../domain/page.ts";
import { isAdmin, isModerator, isNamedAdmin } from "../../../domain/users/roles.ts";
import type { User } from "../../../domain/users/store.ts";
import { freshNonce, showForm } from "../../layout/form.ts";
import { suspendForm } from "../moderation/form.ts";
import { titleOf } from "../moderation/view.ts";
import { roleForm } from "./form.ts";
import type { Reader, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentDay } from "../../layout/time.ts";

const path = roleForm.action;
const roles = ["member", "moderator", "admin"];

/** All accounts, the newest first; on the first page the staff comes before them. */
export function presentAccounts(
  ctx: Ctx,
  reader: Reader,
  { page, staff }: { page: Page<User>; staff: User[] },
) {
  const row = (user: User) => presentRow(ctx, reader.words, user);
  return {
    title: titleOf(reader.words, "people.title"),
    typed: "",
    staff: staff.map(row),
    accounts: page.items.map(row),
    accountsHeading: reader.words.t("people.all"),
    ...presentPaging(reader, path, page, "people.none"),
  };
}

/** Accounts that a search has found. */
export function presentFoundAccounts(
  ctx: Ctx,
  { words }: Reader,
  found: { people: User[]; next: string | undefined; typed: string; after: string | undefined },
) {
  const { people, next, typed, after } = found;
  const start = `${path}?${String(new URLSearchParams({ q: typed }))}`;
  const href = `${path}?${String(new URLSearchParams({ q: typed, after: next ?? "" }))}`;
  return {
    title: titleOf(words, "people.title"),
    typed,
    staff: [],
    accounts: people.map((user) => presentRow(ctx, words, user)),
    accountsHeading: words.t("people.found"),
    older: next === undefined ? undefined : { href, label: words.t("people.more") },
    newest: after === undefined ? undefined : { href: start, label: words.t("people.first") },
    emptyMessage: people.length === 0 ? words.t("people.noneFound") : undefined,
  };
}

/** An account with its role, its state, and the forms to change them. */
export function presentAccount(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  user: User,
  { typed, problems }: { typed: unknown; problems: Problems },
) {
  const page = `${path}/${user.name}`;
  const { action, hidden } = showForm(words, suspendForm, freshNonce());
  const name = { name: "name", value: user.name };
  const mayGive = isAdmin(ctx, viewer) && !isNamedAdmin(ctx, user.name);
  return {
    title: `@${user.name} · ${titleOf(words, "people.title")}`,
    person: presentRow(ctx, words, user),
    above: { href: path, label: words.t("people.title") },
    isNamed: isNamedAdmin(ctx, user.name),
    form: showForm(words, { ...roleForm, action: page }, typed ?? freshNonce(), problems),
    roles: mayGive ? roles.filter((role) => role !== (user.role || "member")) : [],
    suspend:
      user.waiting || isModerator(ctx, user)
        ? undefined
        : { action, hidden: [...hidden, name], verb: user.suspended ? "reinstate" : "suspend" },
  };
}

function presentRow(ctx: Ctx, words: Translator, user: User) {
  return {
    ...presentName(user),
    href: `${path}/${user.name}`,
    joined: presentDay(words, user.createdAt),
    role: isAdmin(ctx, user) ? "admin" : user.role,
    state: user.waiting ? "waiting" : user.suspended ? "suspended" : "",
  };
}
