import { retiredKeys } from "./0001-retired-keys.ts";
import { searchTerms } from "./0002-search-terms.ts";
import { wordsToFilters } from "./0003-filters.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order: number n brings the data to version n. */
export const migrations: readonly Migration[] = [retiredKeys, searchTerms, wordsToFilters];
