import { z } from "zod";
import type { Ctx } from "../../context.ts";
import {
  changeFilter,
  deleteKeyword,
  type FilterAction,
  listFilters,
  newFilterId,
  newKeywordId,
  writeFilter,
} from "../../domain/graph/filters.ts";
import type { User } from "../../domain/users/store.ts";
import type { Endpoint } from "./endpoint.ts";
import { FilterV1, presentFilterV1 } from "./entities/filter.ts";
import {
  endOf,
  filterWishes,
  keywordOf,
  ofKeyword,
  ofUser,
  toKeywordChange,
  withWishes,
} from "./filter-input.ts";
import { flag, needed, text } from "./input.ts";

const { context, expires_in } = filterWishes;
const wishes = z.object({
  phrase: text,
  context,
  expires_in,
  whole_word: flag,
  irreversible: flag,
});
const actions = new Map<boolean | undefined, FilterAction>([
  [true, "hide"],
  [false, "warn"],
]);
const names = { word: "phrase", title: "phrase" };

/** The first version of Mastodon's filters, which older apps use: each keyword is a filter. */
export const filterV1Endpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/filters", "The keywords of the user's filters", {
    answer: z.array(FilterV1),
    async handle({ ctx, viewer }) {
      const filters = await listFilters(ctx, viewer.id);
      return filters.flatMap((filter) =>
        filter.keywords.map((keyword) => presentFilterV1(filter, keyword)),
      );
    },
  }),
  ofUser("POST /api/v1/filters", "Make a filter with one keyword", {
    body: wishes.extend({ phrase: needed }),
    answer: FilterV1,
    counts: "filter",
    names,
    async handle({ ctx, req, viewer, body }) {
      const { phrase: title, whole_word } = body;
      const form = [req.get("idempotency-key"), viewer.id, body] as const;
      const keyword = newKeywordId(...form, "keyword");
      const keywords = [toKeywordChange({ keyword: title, whole_word }, keyword)];
      const newFilter = withWishes(undefined, { ...wishesOf(ctx, viewer, body), title, keywords });
      const id = newFilterId(...form);
      const filter = await writeFilter(ctx, viewer.id, id, (known) => known ?? newFilter);
      return presentFilterV1(filter, keywordOf(filter, keyword));
    },
  }),
  ofKeyword("GET /api/v1/filters/{id}", "One keyword, with its filter", {
    answer: FilterV1,
    handle: ({ params }, filter) => presentFilterV1(filter, keywordOf(filter, params.id)),
  }),
  ofKeyword("PUT /api/v1/filters/{id}", "Change a keyword, and its filter", {
    body: wishes,
    answer: FilterV1,
    counts: "filter",
    names,
    async handle({ ctx, viewer, params, body }, { id }) {
      const { phrase: keyword, whole_word } = body;
      const keywords = [toKeywordChange({ id: params.id, keyword, whole_word })];
      const wanted = { ...wishesOf(ctx, viewer, body), keywords };
      const changed = await changeFilter(ctx, viewer.id, id, (known) =>
        withWishes(known, { ...wanted, title: known.keywords.length === 1 ? keyword : undefined }),
      );
      return presentFilterV1(changed, keywordOf(changed, params.id));
    },
  }),
  ofKeyword("DELETE /api/v1/filters/{id}", "Delete a keyword; the last one with its filter", {
    handle: ({ ctx, viewer, params }, { id }) =>
      deleteKeyword(ctx, viewer.id, { id, keyword: params.id }),
  }),
];

function wishesOf(ctx: Ctx, viewer: User, body: z.output<typeof wishes>) {
  const { context: contexts, irreversible } = body;
  return {
    contexts,
    action: actions.get(irreversible),
    until: endOf(ctx, viewer, body.expires_in),
  };
}
