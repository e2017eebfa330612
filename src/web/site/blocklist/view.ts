import { type BlockKind, blockKinds } from "../../../domain/blocks.ts";
import type { Problems } from "../../../domain/problems.ts";
import type { Block } from "../../../domain/moderation/blocks.ts";
import { blockForm, unblockForm } from "./form.ts";
import { freshNonce, showForm, textsOf } from "../../layout/form.ts";
import type { Translator } from "../../languages/translator.ts";

/** What is blocked, by kind, and the form to block more. */
export function presentBlocks(
  words: Translator,
  blocks: readonly Block[],
  typed: unknown,
  problems: Problems,
) {
  return {
    title: `${words.t("blocks.title")} · ${words.t("nav.moderation")}`,
    form: showForm(words, blockForm, typed ?? freshNonce(), problems),
    kinds: blockKinds,
    chosen: textsOf(typed)["kind"] ?? "word",
    groups: blockKinds.flatMap((kind) => presentGroup(words, kind, blocks)),
    emptyMessage: blocks.length === 0 ? words.t("blocks.none") : undefined,
  };
}

function presentGroup(words: Translator, kind: BlockKind, blocks: readonly Block[]) {
  const ofKind = blocks.filter((one) => one.kind === kind);
  if (ofKind.length === 0) return [];
  return [
    {
      kind,
      blocks: ofKind.map(({ text }) => ({
        text,
        form: showForm(words, unblockForm, { kind, text, ...freshNonce() }),
      })),
    },
  ];
}
