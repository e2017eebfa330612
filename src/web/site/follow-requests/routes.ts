import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { followRequestsPage } from "../../../domain/graph/follow-requests.ts";
import { readPeople } from "../../../domain/graph/people-lists.ts";
import { presentPeopleList } from "../../layout/paging.ts";
import { presentAnswers } from "../../layout/people.ts";
import { requireReader } from "../../request/language.ts";

const path = "/follow-requests";

/** Users who ask to follow the viewer. The buttons of each are those of a profile. */
export function followRequestPages(ctx: Ctx): Router {
  const router = Router();
  router.get(path, async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, words, before } = reader;
    const page = await readPeople(ctx, { viewer, before }, (range) =>
      followRequestsPage(ctx, viewer.id, range),
    );
    const empty = viewer.protected ? "requests.none" : "requests.open";
    const list = await presentPeopleList(ctx, reader, path, page, empty);
    res.render("follow-requests/index", {
      title: words.t("nav.requests"),
      ...list,
      people: list.people.map((person) => ({
        ...person,
        answers: presentAnswers(words, person.url),
      })),
    });
  });
  return router;
}
