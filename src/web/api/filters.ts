import { z } from "zod";
import { Invalid } from "../../domain/errors.ts";
import {
  deleteFilter,
  getFilter,
  listFilters,
  newFilterId,
  newKeywordId,
  writeFilter,
} from "../../domain/graph/filters.ts";
import type { User } from "../../domain/users/store.ts";
import { type ApiRequest, emptyList, type Endpoint, scoped } from "./endpoint.ts";
import { Filter, FilterKeyword, presentFilter, presentKeyword } from "./entities/filter.ts";
import {
  applyWishes,
  endOf,
  filterWishes,
  keywordBody,
  keywordOf,
  ofKeyword,
  ofUser,
  toKeywordChange,
  withWishes,
} from "./filter-input.ts";
import { needed, text } from "./input.ts";

const ofFilter = scoped("read:filters", "write:filters", ({ ctx, viewer, params }) =>
  getFilter(ctx, viewer.id, params.id),
);

const wishes = z.object({ title: text, ...filterWishes });
const names = { word: "keywords_attributes" };
const namesOfKeyword = { word: "keyword" };

/** Filters, which are the muted words of the site, and their keywords; only their owner sees them. */
export const filterEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v2/filters", "The user's filters", {
    answer: z.array(Filter),
    handle: async ({ ctx, viewer }) => (await listFilters(ctx, viewer.id)).map(presentFilter),
  }),
  ofUser("POST /api/v2/filters", "Make a filter", {
    body: wishes.extend({ title: needed }),
    answer: Filter,
    counts: "filter",
    names,
    async handle(request) {
      const { ctx, req, viewer, body } = request;
      const newFilter = withWishes(undefined, wishesOf(request));
      const id = newFilterId(req.get("idempotency-key"), viewer.id, body);
      return presentFilter(await writeFilter(ctx, viewer.id, id, (known) => known ?? newFilter));
    },
  }),
  ofFilter("GET /api/v2/filters/{id}", "One filter", {
    answer: Filter,
    handle: (_, filter) => presentFilter(filter),
  }),
  ofFilter("PUT /api/v2/filters/{id}", "Change a filter", {
    body: wishes,
    answer: Filter,
    counts: "filter",
    names,
    handle: async (request, filter) =>
      presentFilter(await applyWishes(request, filter, wishesOf(request))),
  }),
  ofFilter("DELETE /api/v2/filters/{id}", "Delete a filter", {
    handle: ({ ctx, viewer }, { id }) => deleteFilter(ctx, viewer.id, id),
  }),
  ofFilter("GET /api/v2/filters/{id}/keywords", "Keywords of a filter", {
    answer: z.array(FilterKeyword),
    handle: (_, { keywords }) => keywords.map(presentKeyword),
  }),
  ofFilter("POST /api/v2/filters/{id}/keywords", "Add a keyword to a filter", {
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    names: namesOfKeyword,
    async handle(request, filter) {
      const { req, viewer, body } = request;
      const newId = newKeywordId(req.get("idempotency-key"), viewer.id, filter.id, body);
      const keywords = [toKeywordChange(body, newId)];
      return presentKeyword(keywordOf(await applyWishes(request, filter, { keywords }), newId));
    },
  }),
  ofKeyword("GET /api/v2/filters/keywords/{id}", "One keyword", {
    answer: FilterKeyword,
    handle: ({ params }, filter) => presentKeyword(keywordOf(filter, params.id)),
  }),
  ofKeyword("PUT /api/v2/filters/keywords/{id}", "Change a keyword", {
    body: keywordBody,
    answer: FilterKeyword,
    counts: "filter",
    names: namesOfKeyword,
    async handle(request, filter) {
      const { id } = request.params;
      const keywords = [toKeywordChange({ ...request.body, id })];
      return presentKeyword(keywordOf(await applyWishes(request, filter, { keywords }), id));
    },
  }),
  ofKeyword("DELETE /api/v2/filters/keywords/{id}", "Take a keyword out of its filter", {
    async handle(request, filter) {
      const keywords = [toKeywordChange({ id: request.params.id, _destroy: true })];
      await applyWishes(request, filter, { keywords });
    },
  }),
  ofFilter("GET /api/v2/filters/{id}/statuses", "Always empty", {
    answer: emptyList,
    handle: () => [],
  }),
];

/** Throws Invalid. */
function wishesOf({ ctx, viewer, body }: ApiRequest<User, unknown, z.output<typeof wishes>>) {
  const { title, context: contexts, filter_action: action } = body;
  if (action === "blur") throw new Invalid({ filter_action: "filter.blur" });
  const until = endOf(ctx, viewer, body.expires_in);
  const keywords = body.keywords_attributes.map((one) => toKeywordChange(one));
  return { title, action, contexts, until, keywords };
}
