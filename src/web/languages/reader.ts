import type { User } from "../../domain/users/store.ts";
import type { Translator } from "./translator.ts";

/** The person for whom a page is made: the account, if signed in, and the language. */
export interface Reader {
  viewer: User | undefined;
  words: Translator;
}
