import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid } from "../../../domain/errors.ts";
import type { Problems } from "../../../domain/problems.ts";
import { listFeed } from "../../../domain/feeds/list-feed.ts";
import {
  addToList,
  changeList,
  chooseLists,
  deleteList,
  getList,
  listsOf,
  listsWith,
  makeList,
  mayAddToLists,
  membersPage,
  removeFromList,
} from "../../../domain/graph/lists.ts";
import { requireNotBlockedBy } from "../../../domain/graph/relations.ts";
import { readOwnPeople } from "../../../domain/graph/people-lists.ts";
import { findUserByName, getAnyUserByName, getUserByName } from "../../../domain/users/store.ts";
import { readForm } from "../../layout/form.ts";
import { choiceForm, listForm, memberForm } from "./form.ts";
import { requireReader } from "../../request/language.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { formPage, onRefusal } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import {
  listPath,
  presentChoice,
  presentListEditing,
  presentLists,
  presentListTimeline,
  presentMembers,
} from "./view.ts";
import { renderFeed } from "../../server/render.ts";
import { saysDeleted } from "../tweets/edit-routes.ts";

/** The viewer's lists of people, with their timelines; no other user sees them. */
export function listPages(ctx: Ctx): Router {
  const router = Router();
  const limited = limitVerb(ctx, "list");

  formPage(
    router,
    listForm.action,
    async (req, res, problems) => {
      const view = await presentLists(ctx, requireReader(res), req.body, problems);
      res.render("lists/index", view);
    },
    limited,
    async (req, res) => {
      const { id } = requireViewer(res);
      const list = await makeList(ctx, id, readForm(listForm, req.body));
      res.redirect(303, `${listPath(list.id)}/members`);
    },
  );

  router.get("/lists/:id", async (req, res) => {
    const reader = requireReader(res);
    const list = await listOf(ctx, req, res);
    await renderFeed(res, "lists/show", async () => {
      const feed = await listFeed(ctx, reader.viewer, list.id, reader);
      return await presentListTimeline(ctx, reader, list, feed);
    });
  });

  formPage(
    router,
    "/lists/:id/members",
    (req, res, problems) => showMembers(ctx, req, res, problems),
    limited,
    async (req, res) => {
      const { id: owner } = requireViewer(res);
      const { id: list } = await listOf(ctx, req, res);
      const user = await findUserByName(ctx, readForm(memberForm, req.body).name);
      if (user === undefined || user.suspended) throw new Invalid({ name: "name.unknown" });
      await addToList(ctx, { owner, list, member: user.id });
      res.redirect(303, `${listPath(list)}/members`);
    },
  );
  router.post("/lists/:id/members/@:name/remove", async (req, res) => {
    const { id: owner } = requireViewer(res);
    const { id: list } = await listOf(ctx, req, res);
    const { id: member } = await getAnyUserByName(ctx, req.params.name);
    await removeFromList(ctx, { owner, list, member });
    res.redirect(303, `${listPath(list)}/members`);
  });

  formPage(
    router,
    "/lists/:id/edit",
    async (req, res, problems) => {
      const { words } = requireReader(res);
      const list = await listOf(ctx, req, res);
      const typed = req.method === "POST" ? req.body : list;
      res.render("lists/edit", presentListEditing(words, list, typed, problems));
    },
    limited,
    async (req, res) => {
      const { id: owner } = requireViewer(res);
      const { id } = await listOf(ctx, req, res);
      await changeList(ctx, owner, id, readForm(listForm, req.body));
      res.redirect(303, listPath(id));
    },
  );
  router.post("/lists/:id/delete", async (req, res) => {
    const { id: owner } = requireViewer(res);
    const { id } = await listOf(ctx, req, res);
    await deleteList(ctx, owner, id);
    res.redirect(303, saysDeleted(req, listForm.action));
  });

  router.get("/@:name/lists", limitVerb(ctx, "view"), (req, res) => showChoice(ctx, req, res, {}));
  router.post(
    "/@:name/lists",
    onRefusal((req, res, problems) => showChoice(ctx, req, res, problems)),
    limited,
    async (req, res) => {
      const { id: owner } = requireViewer(res);
      const user = await getUserByName(ctx, String(req.params["name"]));
      const { lists } = readForm(choiceForm, req.body);
      await countVerb(ctx, req, res, "list", lists.size - 1);
      await chooseLists(ctx, { owner, lists, member: user.id });
      res.redirect(303, `/@${user.name}`);
    },
  );

  return router;
}

async function listOf(ctx: Ctx, req: Request, res: Response) {
  return await getList(ctx, requireViewer(res).id, String(req.params["id"]));
}

async function showMembers(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems,
): Promise<void> {
  const reader = requireReader(res);
  const { viewer, before } = reader;
  const list = await listOf(ctx, req, res);
  const page = await readOwnPeople(ctx, { before }, (range) =>
    membersPage(ctx, viewer.id, list.id, range),
  );
  const typed = { typed: req.body, problems };
  res.render("lists/members", await presentMembers(ctx, reader, list, page, typed));
}

/** As ticked, if the form was refused. */
async function showChoice(ctx: Ctx, req: Request, res: Response, problems: Problems) {
  const reader = requireReader(res);
  const { id: owner } = reader.viewer;
  const user = await getUserByName(ctx, String(req.params["name"]));
  await requireNotBlockedBy(ctx, reader.viewer, user.id);
  const membership = { owner, member: user.id };
  const [all, mayAdd] = await Promise.all([listsOf(ctx, owner), mayAddToLists(ctx, membership)]);
  const typed = choiceForm.schema.safeParse(req.body ?? {});
  const ticked =
    req.method === "POST" && typed.success
      ? typed.data.lists
      : await listsWith(ctx, { ...membership, lists: all.map(({ id }) => id) });
  const shown = { lists: all, ticked, mayAdd, problems };
  res.render("profile/lists", await presentChoice(ctx, reader, user, shown));
}
