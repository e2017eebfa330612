import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { Invalid } from "../../../domain/errors.ts";
import { listFeed } from "../../../domain/feeds/feeds.ts";
import {
  addToList,
  changeList,
  countMembers,
  deleteList,
  getList,
  listsOf,
  makeList,
  membersPage,
  removeFromList,
  repliesPolicies,
  type UserList,
} from "../../../domain/graph/lists.ts";
import type { ListId } from "../../../domain/ids.ts";
import { findUserByName, getAnyUserByName, toName } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { presentTabs } from "../../layout/people.ts";
import { formOf, nonce, readForm, showForm } from "../../layout/form.ts";
import { presentOwnList, presentTweetList } from "../../layout/paging.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { renderFeed } from "../../server/render.ts";
import { saysDeleted } from "../tweets/edit-routes.ts";

/** Makes a list; to change one, the action is its own page. */
const listForm = formOf("/lists", {
  fields: { title: z.string(), replies: z.enum(repliesPolicies).default("list") },
  hidden: { nonce },
});

/** Adds a member by name; the action is the page of the members. */
const memberForm = formOf("", { fields: { name: z.string().transform(toName) } });

/** The viewer's lists of people, with their timelines; no other user sees them. */
export function listPages(router: Router, ctx: Ctx): void {
  const limited = limitVerb(ctx, "list");
  const listIn = async (req: Request, res: Response) =>
    await getList(ctx, requireViewer(res).id, String(req.params["id"]));

  formPage(router, listForm.action, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const lists = await listsOf(ctx, viewer.id);
      const ids = lists.map(({ id }) => id);
      const counts = await countMembers(ctx, viewer.id, ids);
      res.render("lists/index", {
        title: words.t("nav.lists"),
        lists: lists.map(({ id, title }) => ({
          href: listPath(id),
          title,
          count: words.t("lists.count", words.counted(counts.get(id) ?? 0)),
        })),
        form: showForm(words, listForm, req.body, problems),
        policies: repliesPolicies,
      });
    },
    checks: [limited],
    async submit(req, res) {
      const list = await makeList(ctx, requireViewer(res).id, readForm(listForm, req.body));
      res.redirect(303, `${listPath(list.id)}/members`);
    },
  });

  router.get("/lists/:id", async (req, res) => {
    const list = await listIn(req, res);
    const path = listPath(list.id);
    await renderFeed(res, "lists/show", requireReader(res), async (reader) => {
      const { viewer, words, before, late = String } = reader;
      const feed = await listFeed(ctx, viewer, list.id, reader);
      const newest = feed.items[0]?.stamp ?? 0;
      return {
        ...presentFrame(words, list, path),
        ...(await presentTweetList(ctx, reader, path, feed, "lists.empty")),
        // Items after this stamp are new; if nothing is shown, all items are.
        live: before === undefined ? { list: list.id, after: late(newest, "after") } : undefined,
      };
    });
  });

  formPage(router, "/lists/:id/members", {
    async show(req, res, problems) {
      const reader = requireReader(res);
      const { viewer, words } = reader;
      const list = await listIn(req, res);
      const path = `${listPath(list.id)}/members`;
      res.render("lists/members", {
        ...presentFrame(words, list, path),
        form: showForm(words, { ...memberForm, action: path }, req.body, problems),
        ...(await presentOwnList(ctx, reader, {
          path,
          read: (range) => membersPage(ctx, viewer.id, list.id, range),
          empty: "lists.noMembers",
          label: "lists.remove",
          actionOf: (url) => `${path}${url}/remove`,
        })),
      });
    },
    checks: [limited],
    async submit(req, res) {
      const { id: owner } = requireViewer(res);
      const { id: list } = await listIn(req, res);
      const user = await findUserByName(ctx, readForm(memberForm, req.body).name);
      if (user === undefined || user.suspended) throw new Invalid({ name: "name.unknown" });
      await addToList(ctx, { owner, list, member: user.id });
      res.redirect(303, `${listPath(list)}/members`);
    },
  });
  router.post("/lists/:id/members/@:name/remove", async (req, res) => {
    const { id: owner } = requireViewer(res);
    const { id: list } = await listIn(req, res);
    const { id: member } = await getAnyUserByName(ctx, req.params.name);
    await removeFromList(ctx, { owner, list, member });
    res.redirect(303, `${listPath(list)}/members`);
  });

  formPage(router, "/lists/:id/edit", {
    async show(req, res, problems) {
      const { words } = requireReader(res);
      const list = await listIn(req, res);
      const form = { ...listForm, action: `${listPath(list.id)}/edit`, hidden: [] };
      res.render("lists/edit", {
        ...presentFrame(words, list, form.action),
        form: showForm(words, form, req.method === "POST" ? req.body : list, problems),
        policies: repliesPolicies,
        deleteUrl: `${listPath(list.id)}/delete`,
      });
    },
    checks: [limited],
    async submit(req, res) {
      const { id } = await listIn(req, res);
      await changeList(ctx, requireViewer(res).id, id, readForm(listForm, req.body));
      res.redirect(303, listPath(id));
    },
  });
  router.post("/lists/:id/delete", async (req, res) => {
    const { id } = await listIn(req, res);
    await deleteList(ctx, requireViewer(res).id, id);
    res.redirect(303, saysDeleted(req, listForm.action));
  });
}

function listPath(id: ListId): string {
  return `${listForm.action}/${id}`;
}

/** What the pages of a list share: its title and the links between them. `path` is that of the page. */
function presentFrame(words: Translator, { id, title }: UserList, path: string) {
  const tabs = [
    [listPath(id), "lists.tweets"],
    [`${listPath(id)}/members`, "lists.members"],
    [`${listPath(id)}/edit`, "lists.edit"],
  ] as const;
  return { title, tabs: presentTabs(words, tabs, path) };
}
