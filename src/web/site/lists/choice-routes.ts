import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { chooseLists, listsOf, listsWith, mayAddToLists } from "../../../domain/graph/lists.ts";
import { requireNotBlockedBy } from "../../../domain/graph/relations.ts";
import { type ListId, parseListId } from "../../../domain/ids.ts";
import { getUserByName } from "../../../domain/users/store.ts";
import { formOf, readForm, sentenceFor, several } from "../../layout/form.ts";
import { presentPeople } from "../../layout/people.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { onRefusal, type ShowForm } from "../../request/refusals.ts";

/** The lists in which a person is to be from now on; its action is the page of the person. */
const choiceForm = formOf("", {
  fields: {
    lists: several(z.string()).transform(
      (ids) => new Set(ids.flatMap((id) => parseListId(id) ?? [])),
    ),
    /** "+12" of a list that was shown with a tick, "-12" of one without. */
    shown: several(z.string()).transform(
      (all) => new Map(all.flatMap((one) => idAndTick(one.slice(1), one.startsWith("+")))),
    ),
  },
});

function idAndTick(text: string, isTicked: boolean): [ListId, boolean][] {
  const id = parseListId(text);
  return id === undefined ? [] : [[id, isTicked]];
}

/** In which of the viewer's lists a person is. */
export function listChoicePages(router: Router, ctx: Ctx): void {
  const path = "/@:name/lists";
  /** With ticks at the lists that have the person, or as typed if the form was refused. */
  const show: ShowForm = async (req, res, problems) => {
    const reader = requireReader(res);
    const { viewer, words } = reader;
    const user = await getUserByName(ctx, String(req.params["name"]));
    await requireNotBlockedBy(ctx, viewer, user.id);
    const membership = { owner: viewer.id, member: user.id };
    const [lists, mayAdd] = await Promise.all([
      listsOf(ctx, viewer.id),
      mayAddToLists(ctx, membership),
    ]);
    const stored = await listsWith(ctx, { ...membership, lists: lists.map(({ id }) => id) });
    const typed = choiceForm.schema.safeParse(req.body ?? {});
    const refused = req.method === "POST" && typed.success ? typed.data : undefined;
    const ticked = refused?.lists ?? stored;
    const wasTicked = (id: ListId) => refused?.shown.get(id) ?? stored.has(id);
    const [problem] = Object.values(problems);
    res.render("profile/lists", {
      title: words.t("lists.with", { name: user.name }),
      people: await presentPeople(ctx, reader, [user]),
      action: `/@${user.name}/lists`,
      followFirst: mayAdd ? undefined : words.t("lists.followFirst", { name: user.name }),
      choices: lists.map(({ id, title }) => ({
        id,
        title,
        ticked: ticked.has(id),
        shown: `${wasTicked(id) ? "+" : "-"}${id}`,
      })),
      error: problem && sentenceFor(words, problem),
    });
  };

  router.get(path, limitVerb(ctx, "view"), (req, res) => show(req, res, {}));
  router.post(path, onRefusal(show), limitVerb(ctx, "list"), async (req, res) => {
    const { id: owner } = requireViewer(res);
    const user = await getUserByName(ctx, String(req.params["name"]));
    const { lists, shown } = readForm(choiceForm, req.body);
    await countVerb(ctx, req, res, "list", lists.size - 1);
    await chooseLists(ctx, { owner, lists, shown, member: user.id });
    res.redirect(303, `/@${user.name}`);
  });
}
