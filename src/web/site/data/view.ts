import { stepsOf } from "../../../domain/accounts/import.ts";
import type { StorageUse } from "../../../domain/accounts/count-storage.ts";
import {
  type Import,
  type ImportPreview,
  isUnderWay,
} from "../../../domain/accounts/import-store.ts";
import { mayGoOn } from "../../../domain/users/promised.ts";
import type { SkipReason } from "../../../domain/accounts/import-run.ts";
import { parseTimestamp, stampAt } from "../../../domain/ids.ts";
import type { Key, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentDay, presentMoment } from "../../layout/time.ts";

/** Numbers of an import that the page shows, in this order. */
const outcomes = [
  "tweets",
  "pictures",
  "follows",
  "tags",
  "words",
  "lists",
  "known",
  "unlisted",
] as const;
/** The same of what a file has. */
const contents = ["tweet", "picture", "follow", "tag", "word", "list"] as const;

const placeNames = { suzume: "Suzume", x: "X", mastodon: "Mastodon", bluesky: "Bluesky" } as const;

/** What an import would bring, or its progress and results, with the steps that are possible. */
export function presentImport({ viewer, words }: SignedInReader, current: Import) {
  const { id, startedAt, total, progress, preview, place } = current;
  const { items, removed } = progress;
  const figures = { items: words.number(items), total: words.number(total) };
  const time = presentMoment(words, startedAt);
  const state = stateOf(current);
  const isPreview = state === "preview";
  const shown = isPreview ? preview : undefined;
  const numbers: Counted[] = shown
    ? contents.map((kind) => [`data.has.${kind}`, shown.counts[kind]])
    : outcomes.map((name) => [`data.${name}`, progress[name]]);
  return {
    id,
    isUnderWay: isUnderWay(current),
    isPreview,
    isHeld: current.wish === "paused" && !mayGoOn(viewer, current.right),
    sentence: isPreview
      ? words.pieces("data.previewOf", { place: placeNames[place], time })
      : words.pieces("data.progress", {
          state: { strong: true, text: words.t(`data.${state}`) },
          ...figures,
          time,
        }),
    span: shown && spanOf(words, shown),
    value: items,
    max: Math.max(total, 1),
    figures,
    results: counted([
      ...numbers,
      ...skippedIn((shown ?? progress).skipped),
      ["data.removed", removed],
    ]),
    steps: stepsOf(current).map((step) => ({
      step,
      label: `data.step.${step}` as const,
      isPrimary: step === "start" || step === "resume",
    })),
  };
}

type Counted = [key: Key, count: number | undefined];

function stateOf({ wish, progress: { done, ended } }: Import) {
  if (wish === "removing") return ended === true ? "undone" : "undoing";
  if (wish === "running") return done ? "done" : "underWay";
  return done ? "done" : wish;
}

function skippedIn(skipped: Partial<Record<SkipReason, number>>): Counted[] {
  return Object.entries(skipped).map(([reason, count]) => [
    `data.skipped.${reason as SkipReason}`,
    count,
  ]);
}

function counted(some: Counted[]) {
  return some.flatMap(([key, count]) => (count ? { key, count } : []));
}

/** The dates of the first and the last tweet. */
function spanOf(words: Translator, { first = "", last = "" }: ImportPreview) {
  const [from, to] = [parseTimestamp(first), parseTimestamp(last)];
  if (from === undefined || to === undefined) return undefined;
  return words.t("data.span", { first: presentDay(words, from), last: presentDay(words, to) });
}

/** What the account keeps. `texts` is undefined until they are counted. */
export function presentStorage(words: Translator, { pictures, texts }: StorageUse, quota?: number) {
  const size = words.size(pictures);
  return {
    pictures:
      quota === undefined
        ? words.t("data.storagePictures", { size })
        : words.t("data.storagePicturesOf", { size, most: words.size(quota) }),
    meter: quota === undefined ? undefined : { value: Math.min(pictures, quota), max: quota },
    texts:
      texts &&
      words.pieces("data.storageTexts", {
        size: words.size(texts.bytes),
        time: presentMoment(words, stampAt(texts.at, "0")),
      }),
  };
}
