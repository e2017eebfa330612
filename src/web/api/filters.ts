import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import {
  changeFilter,
  deleteFilter,
  filterOfKeyword,
  getFilter,
  listFilters,
  newFilterId,
  newKeywordId,
  writeFilter,
} from "../../domain/graph/filters.ts";
import type { User } from "../../domain/users/store.ts";
import { emptyList, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Filter, FilterKeyword, presentFilter, presentKeyword } from "./entities/filter.ts";
import {
  endOf,
  filterWishes,
  keywordBody,
  keywordOf,
  toKeywordChange,
  withWishes,
} from "./filter-input.ts";
import { needed, text } from "./input.ts";

const reads = needs("read:filters");
const writes = needs("write:filters");

const wishes = z.object({ title: text, ...filterWishes });
const names = { word: "keywords_attributes" };
const namesOfKeyword = { word: "keyword" };

/** Filters, which are the muted words of the site, and their keywords; only their owner sees them. */
export const filterEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/filters", "The user's filters", {
    access: reads,
    answer: z.array(Filter),
    handle: async ({ ctx, viewer }) => (await listFilters(ctx, viewer.id)).map(presentFilter),
  }),
  endpoint("POST /api/v2/filters", "Make a filter", {
    access: writes,
    body: wishes.extend({ title: needed }),
    answer: Filter,
    counts: "filter",
    names,
    async handle({ ctx, req, viewer, body }) {
      const newFilter = withWishes(undefined, wishesOf(ctx, viewer, body));
      const id = newFilterId(req.get("idempotency-key"), viewer.id, body);
      return presentFilter(await writeFilter(ctx, viewer.id, id, (known) => known ?? newFilter));
    },
  }),
  endpoint("GET /api/v2/filters/{id}", "One filter", {
    access: reads,
    answer: Filter,
    handle: async ({ ctx, viewer, params }) =>
      presentFilter(await getFilter(ctx, viewer.id, params.id)),
  }),
  endpoint("PUT /api/v2/filters/{id}", "Change a filter", {
    access: writes,
    body: wishes,
    answer: Filter,
    counts: "filter",
    names,
    async handle({ ctx, viewer, params, body }) {
      const { id } = await getFilter(ctx, viewer.id, params.id);
      const wanted = wishesOf(ctx, viewer, body);
      return presentFilter(
        await changeFilter(ctx, viewer.id, id, (known) => withWishes(known, wanted)),
      );
    },
  }),
  endpoint("DELETE /api/v2/filters/{id}", "Delete a filter", {
    access: writes,
    async handle({ ctx, viewer, params }) {
      await deleteFilter(ctx, viewer.id, (await getFilter(ctx, viewer.id, params.id)).id);
    },
  }),
  endpoint("GET /api/v2/filters/{id}/keywords", "Keywords of a filter", {
    access: reads,
    answer: z.array(FilterKeyword),
    handle: async ({ ctx, viewer, params }) =>
      (await getFilter(ctx, viewer.id, params.id)).keywords.map(presentKeyword),
  }),
  endpoint("POST /api/v2/filters/{id}/keywords", "Add a keyword to a filter", {
    access: writes,
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    names: namesOfKeyword,
    async handle({ ctx, req, viewer, params, body }) {
      const { id } = await getFilter(ctx, viewer.id, params.id);
      const newId = newKeywordId(req.get("idempotency-key"), viewer.id, id, body);
      const keywords = [toKeywordChange(body, newId)];
      const changed = await changeFilter(ctx, viewer.id, id, (known) =>
        withWishes(known, { keywords }),
      );
      return presentKeyword(keywordOf(changed, newId));
    },
  }),
  endpoint("GET /api/v2/filters/keywords/{id}", "One keyword", {
    access: reads,
    answer: FilterKeyword,
    handle: async ({ ctx, viewer, params }) =>
      presentKeyword(keywordOf(await filterOfKeyword(ctx, viewer.id, params.id), params.id)),
  }),
  endpoint("PUT /api/v2/filters/keywords/{id}", "Change a keyword", {
    access: writes,
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    names: namesOfKeyword,
    async handle({ ctx, viewer, params, body }) {
      const { id } = await filterOfKeyword(ctx, viewer.id, params.id);
      const keywords = [toKeywordChange({ ...body, id: params.id })];
      const changed = await changeFilter(ctx, viewer.id, id, (known) =>
        withWishes(known, { keywords }),
      );
      return presentKeyword(keywordOf(changed, params.id));
    },
  }),
  endpoint("DELETE /api/v2/filters/keywords/{id}", "Take a keyword out of its filter", {
    access: writes,
    async handle({ ctx, viewer, params }) {
      const { id } = await filterOfKeyword(ctx, viewer.id, params.id);
      const keywords = [toKeywordChange({ id: params.id, _destroy: true })];
      await changeFilter(ctx, viewer.id, id, (known) => withWishes(known, { keywords }));
    },
  }),
  endpoint("GET /api/v2/filters/{id}/statuses", "Always empty", {
    access: reads,
    answer: emptyList,
    async handle({ ctx, viewer, params }) {
      await getFilter(ctx, viewer.id, params.id);
      return [];
    },
  }),
];

/** Throws Invalid. */
function wishesOf(ctx: Ctx, viewer: User, body: z.output<typeof wishes>) {
  const { title, context: contexts, filter_action: action } = body;
  if (action === "blur") throw new Invalid({ filter_action: "filter.blur" });
  const until = endOf(ctx, viewer, body.expires_in);
  const keywords = body.keywords_attributes.map((one) => toKeywordChange(one));
  return { title, action, contexts, until, keywords };
}
