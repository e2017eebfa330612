import type { User } from "../../../src/domain/users/store.ts";
import { type Reader, readLanguages } from "../../../src/web/languages/translator.ts";

/** Words of the site in English. */
export const english = readLanguages().words("en");

/** A reader of English pages. */
export function readerAs(viewer: User | undefined): Reader {
  return { viewer, words: english };
}
