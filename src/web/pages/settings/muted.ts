import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/errors.ts";
import type { Page } from "../../../domain/page.ts";
import type { Stamp } from "../../../domain/stamp.ts";
import { blocksPage, mutesPage } from "../../../domain/graph/relations.ts";
import { listMutedWords, muteWord, unmuteWord } from "../../../domain/graph/muted-words.ts";
import { readOwnPeople } from "../../../domain/graph/people-lists.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { muteWordForm, unmuteWordForm } from "../../forms/muted.ts";
import { onRefusal } from "../../middleware/errors.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { requireViewer } from "../../middleware/session.ts";
import {
  presentDurations,
  presentMutedWords,
  withUnblock,
  withUnmute,
} from "../../present/muted.ts";
import { presentPaging } from "../../present/paging.ts";
import { presentOwnPeople } from "../../present/people.ts";
import { beforeOf } from "../page-cursor.ts";
import { settingsFrame } from "./settings.ts";

/** Users and words that the viewer has muted, and users that the viewer has blocked. */
export function mutedPages(ctx: Ctx): Router {
  const router = Router();
  const muteAgain = onRefusal((req, res, problems) => showMuted(ctx, req, res, req.body, problems));

  router.get("/settings/muted", async (req, res) => showMuted(ctx, req, res, {}));
  router.post("/settings/muted", muteAgain, limitAct(ctx, "blocks"), async (req, res) => {
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
    const reader = requireReader(res);
    const { viewer, words } = reader;
    const before = beforeOf(req);
    const blocks = await readOwnPeople(ctx, { before }, (range) =>
      blocksPage(ctx, viewer.id, range),
    );
    const people = await presentOwnPeople(ctx, reader, blocks.items);
    res.render("settings/blocked", {
      ...settingsFrame(words, "/settings/blocked", "muted.blocked"),
      people: people.map((person) => withUnblock(words, person)),
      emptyMessage: isEmpty(blocks, before) ? words.t("muted.noBlocked") : undefined,
      ...presentPaging(words, "/settings/blocked", blocks, before === undefined),
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
  const reader = requireReader(res);
  const { viewer, words } = reader;
  const before = beforeOf(req);
  const [mutedWords, mutes] = await Promise.all([
    listMutedWords(ctx, viewer.id),
    readOwnPeople(ctx, { before }, (range) => mutesPage(ctx, viewer.id, range)),
  ]);
  const people = await presentOwnPeople(ctx, reader, mutes.items);
  const form = showForm(words, muteWordForm, values, problems);
  res.render("settings/muted", {
    ...settingsFrame(words, "/settings/muted", "muted.title"),
    form,
    durations: presentDurations(words, form.fields["duration"]?.value),
    mutedWords: presentMutedWords(words, mutedWords),
    people: people.map((person) => withUnmute(words, person)),
    emptyMessage: isEmpty(mutes, before) ? words.t("muted.noPeople") : undefined,
    ...presentPaging(words, "/settings/muted", mutes, before === undefined),
  });
}

/** True if the whole list is empty, not only this page of it. */
function isEmpty({ items, older }: Page<unknown>, before: Stamp | undefined): boolean {
  return items.length === 0 && older === undefined && before === undefined;
}
