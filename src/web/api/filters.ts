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
import { emptyList, type Endpoint, scoped } from "./endpoint.ts";
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

const ofUser = scoped("read:filters", "write:filters");
const ofFilter = scoped("read:filters", "write:filters", ({ ctx, viewer, params }) =>
  getFilter(ctx, viewer.id, params.id),
);
/** `filter`: the one with this keyword. */
const ofKeyword = scoped("read:filters", "write:filters", ({ ctx, viewer, params }) =>
  filterOfKeyword(ctx, viewer.id, params.id),
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
    async handle({ ctx, req, viewer, body }) {
      const newFilter = withWishes(undefined, wishesOf(ctx, viewer, body));
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
    async handle({ ctx, viewer, body }, { id }) {
      const wanted = wishesOf(ctx, viewer, body);
      return presentFilter(
        await changeFilter(ctx, viewer.id, id, (known) => withWishes(known, wanted)),
      );
    },
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
    async handle({ ctx, req, viewer, body }, { id }) {
      const newId = newKeywordId(req.get("idempotency-key"), viewer.id, id, body);
      const keywords = [toKeywordChange(body, newId)];
      const changed = await changeFilter(ctx, viewer.id, id, (known) =>
        withWishes(known, { keywords }),
      );
      return presentKeyword(keywordOf(changed, newId));
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
    async handle({ ctx, viewer, params, body }, { id }) {
      const keywords = [toKeywordChange({ ...body, id: params.id })];
      const changed = await changeFilter(ctx, viewer.id, id, (known) =>
        withWishes(known, { keywords }),
      );
      return presentKeyword(keywordOf(changed, params.id));
    },
  }),
  ofKeyword("DELETE /api/v2/filters/keywords/{id}", "Take a keyword out of its filter", {
    async handle({ ctx, viewer, params }, { id }) {
      const keywords = [toKeywordChange({ id: params.id, _destroy: true })];
      await changeFilter(ctx, viewer.id, id, (known) => withWishes(known, { keywords }));
    },
  }),
  ofFilter("GET /api/v2/filters/{id}/statuses", "Always empty", {
    answer: emptyList,
    handle: () => [],
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
