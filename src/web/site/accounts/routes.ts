import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import {
  accountsPage,
  findAccounts,
  giveRole,
  listStaff,
} from "../../../domain/moderation/accounts.ts";
import { isAdmin, isModerator, isNamedAdmin } from "../../../domain/users/roles.ts";
import { getAnyUserByName, type User } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { anyText, formOf, nonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentDay } from "../../layout/time.ts";
import { leadBack } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { formPage } from "../../request/refusals.ts";
import { suspendForm, titleOf } from "../moderation/view.ts";

const path = "/admin/people";
const roles = ["member", "moderator", "admin"] as const;

/** Gives or takes a role; its action is the page of the account. "member" takes the role. */
const roleForm = formOf(path, {
  fields: { role: z.enum(roles), note: anyText },
  hidden: { nonce },
});

/** All accounts, and the page of each with its role; guardAdminArea refuses other users. */
export function peoplePages(router: Router, ctx: Ctx, secret: string): void {
  router.get(path, async (req, res) => {
    const reader = requireReader(res);
    const { words, before } = reader;
    const { q = "", after } = textsOf(req.query);
    const typed = q.trim();
    const row = (user: User) => presentRow(ctx, words, user);
    const frame = { title: titleOf(words, "people.title"), typed };
    if (typed === "") {
      const page = await accountsPage(ctx, before);
      const staff = before === undefined ? await listStaff(ctx) : [];
      res.render("admin/people", {
        ...frame,
        staff: staff.map(row),
        accounts: page.items.map(row),
        ...presentPaging(reader, path, page, "people.none"),
      });
    } else {
      const { people, next } = await findAccounts(ctx, typed, after);
      const start = `${path}?${String(new URLSearchParams({ q: typed }))}`;
      const href = `${path}?${String(new URLSearchParams({ q: typed, after: next ?? "" }))}`;
      res.render("admin/people", {
        ...frame,
        staff: [],
        accounts: people.map(row),
        older: next === undefined ? undefined : { href, label: words.t("people.more") },
        newest: after === undefined ? undefined : { href: start, label: words.t("people.first") },
        emptyMessage: people.length === 0 ? words.t("people.noneFound") : undefined,
      });
    }
  });

  formPage(router, `${path}/:name`, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const user = await getAnyUserByName(ctx, String(req.params["name"]));
      const { name, suspended: isSuspended } = user;
      const { action, hidden } = showForm(words, suspendForm);
      const isNamed = isNamedAdmin(ctx, name);
      const form = { ...roleForm, action: `${path}/${name}` };
      res.render("admin/person", {
        title: `@${name} · ${titleOf(words, "people.title")}`,
        person: presentRow(ctx, words, user),
        above: { href: path, label: words.t("people.title") },
        isNamed,
        form: showForm(words, form, req.body, problems),
        roles:
          isAdmin(ctx, viewer) && !isNamed
            ? roles.filter((role) => role !== (user.role || "member"))
            : [],
        suspend:
          user.waiting || isModerator(ctx, user)
            ? undefined
            : { action, hidden: [...hidden, { name: "name", value: name }], isSuspended },
      });
    },
    checks: [confirmation(ctx, secret).first()],
    async submit(req, res) {
      const user = await getAnyUserByName(ctx, String(req.params["name"]));
      const { role, ...rest } = readForm(roleForm, req.body);
      const decision = { by: requireViewer(res).id, ...rest };
      await giveRole(ctx, decision, user, role === "member" ? "" : role);
      leadBack(res, `${path}/${user.name}`, "role");
    },
  });
}

/** An account with its role and its state. */
function presentRow(ctx: Ctx, words: Translator, user: User) {
  return {
    ...presentName(user),
    href: `${path}/${user.name}`,
    joined: presentDay(words, user.createdAt),
    role: isAdmin(ctx, user) ? "admin" : user.role,
    state: user.waiting ? "waiting" : user.suspended ? "suspended" : "",
  };
}
