import type { User } from "../../../src/domain/users/store.ts";
import { readLanguages } from "../../../src/web/languages/languages.ts";
import type { Reader } from "../../../src/web/languages/reader.ts";

/** What the site says in English. */
export const english = readLanguages().words("en");

/** Somebody who reads English. */
export function readerAs(viewer: User | undefined): Reader {
  return { viewer, words: english };
}
