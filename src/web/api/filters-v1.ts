import { z } from "zod";
import {
  changeFilter,
  deleteFilter,
  type Filter,
  filterOfKeyword,
  listFilters,
  newFilterId,
  newKeywordId,
  writeFilter,
} from "../../domain/graph/filters.ts";
import { emptyObject, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { FilterV1, presentFilterV1 } from "./entities/filter.ts";
import { endOf, filterWishes, keywordOf, toKeywordChange, withChanges } from "./filter-input.ts";
import { flag, needed, text, withApiNames } from "./input.ts";

const { context, expires_in } = filterWishes;
const fields = { context, expires_in, whole_word: flag, irreversible: flag };
const apiNames = { word: "phrase", title: "phrase" };

/** The first version of Mastodon's filters, which older apps use: each keyword is a filter. */
export const filterV1Endpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/filters", "The keywords of the user's filters", {
    access: needs("read:filters"),
    answer: z.array(FilterV1),
    async handle({ ctx, viewer }) {
      const filters = await listFilters(ctx, viewer.id);
      return filters.flatMap((filter) =>
        filter.keywords.map((keyword) => presentFilterV1(filter, keyword)),
      );
    },
  }),
  endpoint("POST /api/v1/filters", "Make a filter with one keyword", {
    access: needs("write:filters"),
    body: z.object({ phrase: needed, ...fields }),
    answer: FilterV1,
    counts: "filter",
    async handle({ ctx, req, viewer, body }) {
      const { phrase, whole_word: whole = true } = body;
      const form = [req.get("idempotency-key"), viewer.id, body] as const;
      const keyword = newKeywordId(...form, "keyword");
      const made: Omit<Filter, "id"> = {
        title: phrase,
        action: body.irreversible === true ? "hide" : "warn",
        contexts: body.context,
        until: endOf(ctx, viewer, body.expires_in) ?? Infinity,
        keywords: [{ id: keyword, word: phrase, whole }],
      };
      const filter = await withApiNames(apiNames, () =>
        writeFilter(ctx, viewer.id, newFilterId(...form), (known) => known ?? made),
      );
      return presentFilterV1(filter, keywordOf(filter, keyword));
    },
  }),
  endpoint("GET /api/v1/filters/{id}", "One keyword, with its filter", {
    access: needs("read:filters"),
    answer: FilterV1,
    async handle({ ctx, viewer, params }) {
      const filter = await filterOfKeyword(ctx, viewer.id, params.id);
      return presentFilterV1(filter, keywordOf(filter, params.id));
    },
  }),
  endpoint("PUT /api/v1/filters/{id}", "Change a keyword, and its filter", {
    access: needs("write:filters"),
    body: z.object({ phrase: text, ...fields }),
    answer: FilterV1,
    counts: "filter",
    async handle({ ctx, viewer, params, body }) {
      const { phrase, whole_word: whole, irreversible } = body;
      const { id } = await filterOfKeyword(ctx, viewer.id, params.id);
      const until = endOf(ctx, viewer, body.expires_in);
      const change = toKeywordChange({ id: params.id, keyword: phrase, whole_word: whole });
      const changed = await withApiNames(apiNames, () =>
        changeFilter(ctx, viewer.id, id, (known) => ({
          title: known.keywords.length === 1 ? (phrase ?? known.title) : known.title,
          action: irreversible === undefined ? known.action : irreversible ? "hide" : "warn",
          contexts: body.context.length === 0 ? known.contexts : body.context,
          until: until ?? known.until,
          keywords: withChanges(known.keywords, [change]),
        })),
      );
      return presentFilterV1(changed, keywordOf(changed, params.id));
    },
  }),
  endpoint("DELETE /api/v1/filters/{id}", "Delete a keyword; the last one with its filter", {
    access: needs("write:filters"),
    answer: emptyObject,
    async handle({ ctx, viewer, params }) {
      const filter = await filterOfKeyword(ctx, viewer.id, params.id);
      const others = filter.keywords.filter(({ id }) => id !== params.id);
      if (others.length === 0) await deleteFilter(ctx, viewer.id, filter.id);
      else
        await changeFilter(ctx, viewer.id, filter.id, (known) => ({
          ...known,
          keywords: known.keywords.filter(({ id }) => id !== params.id),
        }));
      return {};
    },
  }),
];
