import type { Trend } from "../../domain/search/trending.ts";
import type { User } from "../../domain/users/store.ts";
import { type NameView, presentName } from "./people.ts";

interface CompletionView {
  /** What is written in the field: "@ann" or "#birds". */
  text: string;
  person: NameView | undefined;
}

/** Options for the list of public/js/complete.js. */
export function presentCompletions({
  people,
  tags,
}: {
  people: User[];
  tags: Trend[];
}): CompletionView[] {
  return [
    ...people.map((user) => ({ text: `@${user.name}`, person: presentName(user) })),
    ...tags.map(({ tag }) => ({ text: `#${tag}`, person: undefined })),
  ];
}
