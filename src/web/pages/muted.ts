import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/errors.ts";
import { type Entry, type Page, pageSize } from "../../domain/page.ts";
import { userId } from "../../domain/ids.ts";
import { blocksPage } from "../../domain/users/block.ts";
import { mutesPage } from "../../domain/users/mute.ts";
import { listMutedWords, muteWord, unmuteWord } from "../../domain/users/muted-words.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { readForm, showForm } from "../forms/form.ts";
import { muteWordForm, unmuteWordForm } from "../forms/muted.ts";
import { onRefusal } from "../middleware/errors.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentDurations, presentMutedWords, withUnmute } from "../present/muted.ts";
import { presentPaging } from "../present/paging.ts";
import { presentPeople } from "../present/people.ts";
import { beforeOf } from "./before.ts";
import { settingsFrame } from "./settings.ts";

/** Whom and what somebody has muted, and whom they have blocked. */
export function mutedPages(ctx: Ctx): Router {
  const router = Router();
  const muteAgain = onRefusal((req, res, problems) => showMuted(ctx, req, res, req.body, problems));

  router.get("/settings/muted", async (req, res) => showMuted(ctx, req, res, {}));
  router.post("/settings/muted", muteAgain, async (req, res) => {
    const { id } = requireViewer(res);
    await muteWord(ctx, id, readForm(muteWordForm, req.body));
    res.redirect(303, "/settings/muted");
  });
  router.post("/settings/muted/remove", async (req, res) => {
    const { id } = requireViewer(res);
    await unmuteWord(ctx, id, readForm(unmuteWordForm, req.body).word);
    res.redirect(303, "/settings/muted");
  });

  router.get("/settings/blocked", async (req, res) => {
    const viewer = requireViewer(res);
    const before = beforeOf(req);
    const blocks = await blocksPage(ctx, viewer.id, { before, limit: pageSize });
    const people = await presentPeople(ctx, viewer, await usersOf(ctx, blocks));
    res.render("settings/blocked", {
      ...settingsFrame("/settings/blocked", "Blocked"),
      people,
      emptyMessage: people.length === 0 ? "You have blocked nobody." : undefined,
      ...presentPaging("/settings/blocked", blocks, before === undefined),
    });
  });

  return router;
}

async function showMuted(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
): Promise<void> {
  const viewer = requireViewer(res);
  const before = beforeOf(req);
  const [words, mutes] = await Promise.all([
    listMutedWords(ctx, viewer.id),
    mutesPage(ctx, viewer.id, { before, limit: pageSize }),
  ]);
  const people = await presentPeople(ctx, viewer, await usersOf(ctx, mutes));
  const form = showForm(muteWordForm, values, problems);
  res.render("settings/muted", {
    ...settingsFrame("/settings/muted", "Muted"),
    form,
    durations: presentDurations(form.fields["duration"]?.value),
    words: presentMutedWords(words),
    people: people.map(withUnmute),
    emptyMessage: people.length === 0 ? "You have muted nobody." : undefined,
    ...presentPaging("/settings/muted", mutes, before === undefined),
  });
}

async function usersOf(ctx: Ctx, { items }: Page<Entry>): Promise<User[]> {
  const users = await findUsers(
    ctx,
    items.map(({ id }) => userId(id)),
  );
  return [...users.values()];
}
