import type { User } from "../../domain/users/store.ts";
import type { Translator } from "./translator.ts";

/** Reader of a page: the account, if signed in, and the language. */
export interface Reader {
  viewer: User | undefined;
  words: Translator;
}
