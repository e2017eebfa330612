import type { Ctx } from "../context.ts";
import { askForIndexing } from "../domain/search/index-older.ts";
import type { Migration } from "./migration.ts";

/**
 * Only asks for the work, which a job does while the site serves: a million tweets take an hour or two. See
 * docs/decisions/0044-search-finds-what-people-type.md.
 */
export const searchTerms: Migration = {
  version: 2,
  does: "ask a job to index all tweets and people anew",
  async step(ctx: Ctx) {
    await askForIndexing(ctx);
    return undefined;
  },
};
