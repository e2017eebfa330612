import { z } from "zod";
import type { Ctx } from "../../context.ts";
import {
  changeFilter,
  type Filter,
  filterOfKeyword,
  getFilter,
  newKeywordId,
  type Keyword,
} from "../../domain/graph/filters.ts";
import type { UserId } from "../../domain/ids.ts";
import { emptyList, emptyObject, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { FilterKeyword, presentKeyword } from "./entities/filter.ts";
import {
  keywordBody,
  type KeywordChange,
  keywordOf,
  toKeywordChange,
  withChanges,
} from "./filter-input.ts";
import { withApiNames } from "./input.ts";

/** The parts of a filter. */
export const filterKeywordEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/filters/{id}/keywords", "Keywords of a filter", {
    access: needs("read:filters"),
    answer: z.array(FilterKeyword),
    handle: async ({ ctx, viewer, params }) =>
      (await getFilter(ctx, viewer.id, params.id)).keywords.map(presentKeyword),
  }),
  endpoint("POST /api/v2/filters/{id}/keywords", "Add a keyword to a filter", {
    access: needs("write:filters"),
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    async handle({ ctx, req, viewer, params, body }) {
      const filter = await getFilter(ctx, viewer.id, params.id);
      const made = newKeywordId(req.get("idempotency-key"), viewer.id, filter.id, body);
      const change = toKeywordChange(body, made);
      return presentKeyword(await changeKeyword(ctx, viewer.id, filter, change));
    },
  }),
  endpoint("GET /api/v2/filters/keywords/{id}", "One keyword", {
    access: needs("read:filters"),
    answer: FilterKeyword,
    handle: async ({ ctx, viewer, params }) =>
      presentKeyword(keywordOf(await filterOfKeyword(ctx, viewer.id, params.id), params.id)),
  }),
  endpoint("PUT /api/v2/filters/keywords/{id}", "Change a keyword", {
    access: needs("write:filters"),
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    async handle({ ctx, viewer, params, body }) {
      const filter = await filterOfKeyword(ctx, viewer.id, params.id);
      const change = toKeywordChange({ ...body, id: params.id });
      return presentKeyword(await changeKeyword(ctx, viewer.id, filter, change));
    },
  }),
  endpoint("DELETE /api/v2/filters/keywords/{id}", "Take a keyword out of its filter", {
    access: needs("write:filters"),
    answer: emptyObject,
    async handle({ ctx, viewer, params }) {
      const filter = await filterOfKeyword(ctx, viewer.id, params.id);
      await changeFilter(ctx, viewer.id, filter.id, (known) => ({
        ...known,
        keywords: known.keywords.filter(({ id }) => id !== params.id),
      }));
      return {};
    },
  }),
  endpoint("GET /api/v2/filters/{id}/statuses", "Always empty", {
    access: needs("read:filters"),
    answer: emptyList,
    async handle({ ctx, viewer, params }) {
      await getFilter(ctx, viewer.id, params.id);
      return [];
    },
  }),
];

/** The keyword afterwards. Throws NotFound, Invalid. */
async function changeKeyword(
  ctx: Ctx,
  user: UserId,
  { id }: Filter,
  change: KeywordChange,
): Promise<Keyword> {
  const changed = await withApiNames({ word: "keyword" }, () =>
    changeFilter(ctx, user, id, (known) => ({
      ...known,
      keywords: withChanges(known.keywords, [change]),
    })),
  );
  return keywordOf(changed, change.id);
}
