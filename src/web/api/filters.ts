import { z } from "zod";
import {
  changeFilter,
  deleteFilter,
  getFilter,
  listFilters,
  newFilterId,
  writeFilter,
} from "../../domain/graph/filters.ts";
import { emptyObject, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Filter, presentFilter } from "./entities/filter.ts";
import { actionOf, endOf, filterWishes, toKeywordChange, withChanges } from "./filter-input.ts";
import { needed, text, withApiNames } from "./input.ts";

const apiNames = { word: "keywords_attributes" };

/** Filters, which are the muted words of the site; only their owner sees them. */
export const filterEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/filters", "The user's filters", {
    access: needs("read:filters"),
    answer: z.array(Filter),
    handle: async ({ ctx, viewer }) => (await listFilters(ctx, viewer.id)).map(presentFilter),
  }),
  endpoint("POST /api/v2/filters", "Make a filter", {
    access: needs("write:filters"),
    body: z.object({ title: needed, ...filterWishes }),
    answer: Filter,
    counts: "filter",
    async handle({ ctx, req, viewer, body }) {
      const made = {
        title: body.title,
        action: actionOf(body.filter_action) ?? "warn",
        contexts: body.context,
        until: endOf(ctx, viewer, body.expires_in) ?? Infinity,
        keywords: withChanges(
          [],
          body.keywords_attributes.map((one) => toKeywordChange(one)),
        ),
      };
      const id = newFilterId(req.get("idempotency-key"), viewer.id, body);
      return await withApiNames(apiNames, async () =>
        presentFilter(await writeFilter(ctx, viewer.id, id, (known) => known ?? made)),
      );
    },
  }),
  endpoint("GET /api/v2/filters/{id}", "One filter", {
    access: needs("read:filters"),
    answer: Filter,
    handle: async ({ ctx, viewer, params }) =>
      presentFilter(await getFilter(ctx, viewer.id, params.id)),
  }),
  endpoint("PUT /api/v2/filters/{id}", "Change a filter", {
    access: needs("write:filters"),
    body: z.object({ title: text, ...filterWishes }),
    answer: Filter,
    counts: "filter",
    async handle({ ctx, viewer, params, body }) {
      const { id } = await getFilter(ctx, viewer.id, params.id);
      const action = actionOf(body.filter_action);
      const until = endOf(ctx, viewer, body.expires_in);
      const changes = body.keywords_attributes.map((one) => toKeywordChange(one));
      const changed = await withApiNames(apiNames, () =>
        changeFilter(ctx, viewer.id, id, (known) => ({
          title: body.title ?? known.title,
          action: action ?? known.action,
          contexts: body.context.length === 0 ? known.contexts : body.context,
          until: until ?? known.until,
          keywords: withChanges(known.keywords, changes),
        })),
      );
      return presentFilter(changed);
    },
  }),
  endpoint("DELETE /api/v2/filters/{id}", "Delete a filter", {
    access: needs("write:filters"),
    answer: emptyObject,
    async handle({ ctx, viewer, params }) {
      await deleteFilter(ctx, viewer.id, (await getFilter(ctx, viewer.id, params.id)).id);
      return {};
    },
  }),
];
