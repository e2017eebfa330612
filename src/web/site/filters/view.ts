import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/problems.ts";
import { type Filter, filterActions, filterContexts } from "../../../domain/graph/filters.ts";
import type { UserId } from "../../../domain/ids.ts";
import type { Page } from "../../../domain/page.ts";
import { type Stamp, stampToDate } from "../../../domain/stamp.ts";
import type { User } from "../../../domain/users/store.ts";
import { showForm } from "../../layout/form.ts";
import { muteDurations, muteWordForm, unmuteWordForm } from "./form.ts";
import type { Key, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentButton, presentOwnPeople } from "../../layout/people.ts";
import { presentPaging } from "../../layout/paging.ts";
import { settingsFrame } from "../settings/view.ts";
import { presentDay } from "../../layout/time.ts";

/** Muted words and users, and the form to mute a word with what was typed. */
export async function presentMuted(
  ctx: Ctx,
  reader: SignedInReader,
  {
    muted,
    ends,
    people,
  }: { muted: Filter[]; ends: ReadonlyMap<UserId, Stamp>; people: Page<User> },
  typed: unknown,
  problems: Problems,
) {
  const { words } = reader;
  const form = showForm(words, muteWordForm, typed, problems);
  const listed = await presentOwnPeople(ctx, reader, people.items, (url) =>
    presentButton(words, `${url}/unmute`, "muted.unmute", true),
  );
  const endOf = (id: UserId) => {
    const until = ends.get(id);
    return until && words.t("muted.until", { day: presentDay(words, until) });
  };
  return {
    ...settingsFrame(words, muteWordForm.action, "muted.title"),
    form,
    durations: muteDurations,
    actions: filterActions,
    contexts: filterContexts,
    // All are chosen in a form that was not submitted.
    isTyped: filterContexts.some((context) => (form.fields[context]?.value ?? "") !== ""),
    mutedWords: presentMutedWords(words, muted),
    people: listed.map((person) => ({ ...person, reason: endOf(person.id) ?? person.reason })),
    ...presentOwnPaging(reader, muteWordForm.action, people, "muted.noPeople"),
  };
}

/** Blocked users, with buttons to unblock them, even if they are suspended or have blocked the viewer. */
export async function presentBlocked(ctx: Ctx, reader: SignedInReader, page: Page<User>) {
  const { words } = reader;
  const path = "/settings/blocked";
  return {
    ...settingsFrame(words, path, "muted.blocked"),
    people: await presentOwnPeople(ctx, reader, page.items, (url) =>
      presentButton(words, `${url}/unblock`, "person.unblock", true),
    ),
    ...presentOwnPaging(reader, path, page, "muted.noBlocked"),
  };
}

/** The text for an empty page is shown only if the whole list is empty. */
function presentOwnPaging(reader: SignedInReader, path: string, page: Page<User>, empty: Key) {
  const isWhole = page.older === undefined && reader.before === undefined;
  return presentPaging(reader, path, page, isWhole ? empty : undefined);
}

function presentMutedWords(words: Translator, muted: Filter[]) {
  return muted.map(({ id, title, action, contexts, keywords, until }) => ({
    word: title,
    // Undefined if the title says the same.
    keywords:
      keywords.length === 1 && keywords[0]?.word === title
        ? undefined
        : keywords.map(({ word }) => word).join(", "),
    action,
    // Undefined if it works everywhere.
    contexts: contexts.length === filterContexts.length ? undefined : contexts,
    // Undefined if it does not end.
    until:
      until === Infinity
        ? undefined
        : {
            iso: stampToDate(until).toISOString(),
            day: presentDay(words, until),
          },
    remove: showForm(words, unmuteWordForm, { filter: id }),
  }));
}
