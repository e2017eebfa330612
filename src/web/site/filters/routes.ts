import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import {
  deleteFilter,
  type Filter,
  filterActions,
  filterContexts,
  listFilters,
} from "../../../domain/graph/filters.ts";
import { muteWord } from "../../../domain/graph/muted-words.ts";
import { blocksPage, mutesPage, timedMutes } from "../../../domain/graph/relations.ts";
import { stampToDate } from "../../../domain/ids.ts";
import type { Translator } from "../../languages/translator.ts";
import { type Form, formOf, readForm, showForm } from "../../layout/form.ts";
import { presentOwnList } from "../../layout/paging.ts";
import { presentDay } from "../../layout/time.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { settingsFrame } from "../settings/view.ts";
import { duration, muteDurations } from "../profile/menu-view.ts";

const muteWordForm = {
  action: "/settings/muted",
  fields: ["word", "duration", "action", ...filterContexts],
  schema: z
    .object({
      word: z.string(),
      duration,
      action: z.enum(filterActions).default("hide"),
      ...Object.fromEntries(filterContexts.map((context) => [context, z.string().optional()])),
    })
    .transform(({ word, duration: days, action, ...chosen }) => ({
      word,
      days,
      action,
      contexts: filterContexts.filter((context) => context in chosen),
    })),
} satisfies Form<unknown>;

const unmuteWordForm = formOf("/settings/muted/remove", { hidden: { filter: z.string() } });

const blockedPath = "/settings/blocked";

/** Users and words that the viewer has muted, and users that the viewer has blocked. */
export function mutedSettings(router: Router, ctx: Ctx): void {
  const { action } = muteWordForm;

  formPage(router, action, {
    async show(req, res, problems) {
      const reader = requireReader(res);
      const { viewer, words } = reader;
      const [filters, ends, list] = await Promise.all([
        listFilters(ctx, viewer.id),
        timedMutes(ctx, viewer.id),
        presentOwnList(ctx, reader, {
          path: action,
          read: (range) => mutesPage(ctx, viewer.id, range),
          empty: "muted.noPeople",
          label: "muted.unmute",
          actionOf: (url) => `${url}/unmute`,
        }),
      ]);
      const form = showForm(words, muteWordForm, req.body, problems);
      res.render("settings/muted", {
        ...settingsFrame(words, action, "muted.title"),
        form,
        durations: muteDurations,
        actions: filterActions,
        contexts: filterContexts,
        // All are chosen in a form that was not submitted.
        isTyped: filterContexts.some((context) => (form.fields[context]?.value ?? "") !== ""),
        mutedWords: filters.map((filter) => presentMutedWord(words, filter)),
        ...list,
        people: list.people.map((person) => {
          const until = ends.get(person.id);
          const end = until && words.t("muted.until", { day: presentDay(words, until) });
          return { ...person, reason: end ?? person.reason };
        }),
      });
    },
    checks: [limitVerb(ctx, "filter")],
    async submit(req, res) {
      await muteWord(ctx, requireViewer(res).id, readForm(muteWordForm, req.body));
      res.redirect(303, action);
    },
  });
  router.post(unmuteWordForm.action, async (req, res) => {
    const { filter } = readForm(unmuteWordForm, req.body);
    await deleteFilter(ctx, requireViewer(res).id, filter);
    res.redirect(303, action);
  });

  // With buttons to unblock, also for those who are suspended or have blocked the viewer.
  router.get(blockedPath, async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, words } = reader;
    res.render("settings/blocked", {
      ...settingsFrame(words, blockedPath, "muted.blocked"),
      ...(await presentOwnList(ctx, reader, {
        path: blockedPath,
        read: (range) => blocksPage(ctx, viewer.id, range),
        empty: "muted.noBlocked",
        label: "person.unblock",
        actionOf: (url) => `${url}/unblock`,
      })),
    });
  });
}

function presentMutedWord(words: Translator, filter: Filter) {
  const { id, title, action, contexts, until } = filter;
  const keywords = filter.keywords.map(({ word }) => word);
  return {
    word: title,
    // Undefined if the title says the same.
    keywords: keywords.length === 1 && keywords[0] === title ? undefined : keywords.join(", "),
    action,
    // Undefined if it works everywhere.
    contexts: contexts.length === filterContexts.length ? undefined : contexts,
    // Undefined if it does not end.
    until:
      until === Infinity
        ? undefined
        : { iso: stampToDate(until).toISOString(), day: presentDay(words, until) },
    remove: showForm(words, unmuteWordForm, { filter: id }),
  };
}
