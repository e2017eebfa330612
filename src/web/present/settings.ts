import type { Import, SkipReason } from "../../domain/accounts/import-store.ts";
import { type Theme, themes } from "../../domain/users/store.ts";
import type { Languages } from "../languages/languages.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { presentTabs } from "./controls.ts";
import { presentMoment } from "./time.ts";

type Section = readonly [href: string, label: Key];

const groups = {
  you: [
    ["/settings/profile", "settings.profile"],
    ["/settings/account", "settings.account"],
    ["/settings/invitations", "joining.invitations"],
  ],
  safety: [
    ["/settings/security", "security.title"],
    ["/settings/sessions", "settings.devices"],
    ["/settings/apps", "apps.title"],
    ["/settings/blocked", "muted.blocked"],
    ["/settings/reports", "reports.yours"],
  ],
  view: [
    ["/settings/language", "settings.display"],
    ["/settings/muted", "muted.title"],
    ["/settings/tags", "tag.followed"],
  ],
  data: [["/settings/data", "data.title"]],
} as const satisfies Record<string, readonly Section[]>;

/** Values that every settings page needs. `path`: address of the current section. */
export function settingsFrame(words: Translator, path: string, title: Key) {
  return {
    title: `${words.t(title)} · ${words.t("nav.settings")}`,
    ...presentGroups(words, path),
  };
}

/** The page that only lists the sections. */
export function presentSettings(words: Translator) {
  return { title: words.t("nav.settings"), ...presentGroups(words, "/settings") };
}

function presentGroups(words: Translator, path: string) {
  const names = ["you", "safety", "view", "data"] as const;
  return {
    groups: names.map((name) => ({
      label: words.t(`settings.group.${name}`),
      sections: presentTabs(words, groups[name], path),
    })),
  };
}

/** Languages to choose from, the browser's choice first. `chosen` may be a language that no longer exists. */
export function presentLanguages(words: Translator, languages: Languages, chosen: string) {
  const browser = {
    value: "",
    label: words.t("settings.languageOfBrowser"),
    // Only labels of other languages need it.
    lang: undefined,
    checked: !languages.tags.includes(chosen),
  };
  const named = languages.named.map(({ tag, name }) => ({
    value: tag,
    label: name,
    lang: tag,
    checked: tag === chosen,
  }));
  return [browser, ...named];
}

export function presentThemes(words: Translator, chosen: Theme) {
  return themes.map((value) => ({
    value,
    label: words.t(`settings.theme.${value === "" ? "system" : value}`),
    checked: value === chosen,
  }));
}

/** Progress and results of an import. */
export function presentImport(words: Translator, { startedAt, total, progress }: Import) {
  const {
    items,
    tweets,
    pictures = 0,
    unlisted = 0,
    follows,
    tags = 0,
    words: muted = 0,
    lists = 0,
    known,
    skipped,
    done,
  } = progress;
  const figures = { items: words.number(items), total: words.number(total) };
  const results: [Key, number][] = [
    ["data.tweets", tweets],
    ["data.pictures", pictures],
    ["data.follows", follows],
    ["data.tags", tags],
    ["data.words", muted],
    ["data.lists", lists],
    ["data.known", known],
    ["data.unlisted", unlisted],
    ...Object.entries(skipped).map(([reason, count]): [Key, number] => [
      `data.skipped.${reason as SkipReason}`,
      count,
    ]),
  ];
  return {
    done,
    sentence: words.pieces("data.progress", {
      state: { strong: true, text: words.t(done ? "data.done" : "data.underWay") },
      ...figures,
      time: presentMoment(words, startedAt),
    }),
    value: items,
    max: Math.max(total, 1),
    text: words.t("data.progressShort", figures),
    results: results
      .filter(([, count]) => count > 0)
      .map(([key, count]) => words.t(key, words.counted(count))),
  };
}
