import { createHash } from "node:crypto";
import { encode } from "uqr";
import type { Ctx } from "../../../context.ts";
import type { Import } from "../../../domain/accounts/import-store.ts";
import type { SkipReason } from "../../../domain/accounts/import-run.ts";
import { findFailedLogIns } from "../../../domain/users/log-in.ts";
import { listDevices } from "../../../domain/users/sessions.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Key, Languages, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentTabs } from "../../layout/people.ts";
import { presentMoment } from "../../layout/time.ts";
import { endSessionForm } from "./form.ts";

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

/** Numbers of an import, in the order in which they are shown. */
const importCounters = [
  ...(["tweets", "pictures", "follows", "tags", "words", "lists"] as const),
  ...(["known", "unlisted"] as const),
];

/** Progress and results of an import. */
export function presentImport(words: Translator, { startedAt, total, progress }: Import) {
  const { items, skipped, done } = progress;
  const figures = { items: words.number(items), total: words.number(total) };
  const results = [
    ...importCounters.map((name) => [`data.${name}`, progress[name] ?? 0] as const),
    ...Object.entries(skipped).map(
      ([reason, count]) => [`data.skipped.${reason as SkipReason}`, count] as const,
    ),
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

/**
 * The user's open sessions, newest first, with forms to end them; and how often a wrong password was typed,
 * if there is anything to report.
 */
export async function presentSessions(
  ctx: Ctx,
  { viewer, words }: SignedInReader,
  current: string,
) {
  const devices = await listDevices(ctx, viewer);
  const failed = await findFailedLogIns(ctx, viewer.id);
  const { action } = endSessionForm;
  return {
    sessions: devices.map(({ session, openedAt, device }) => ({
      device: deviceName(words, device),
      since: words.pieces("settings.since", { time: presentMoment(words, openedAt) }),
      current: session === current,
      endForm:
        session === current
          ? undefined
          : { action, hidden: [{ name: "session", value: handleOf(session) }] },
    })),
    endOthers: devices.length > 1 ? { action, hidden: [] } : undefined,
    guesses:
      failed &&
      words.pieces("settings.guesses", {
        ...words.counted(failed.count),
        time: presentMoment(words, failed.since),
      }),
  };
}

/** Ids of the sessions with this handle; empty if there is none. */
export async function findSessionByHandle(ctx: Ctx, user: User, handle: string): Promise<string[]> {
  const devices = await listDevices(ctx, user);
  return devices.map((device) => device.session).filter((session) => handleOf(session) === handle);
}

/** Handle of a session, for pages: these must not contain its id, which grants access. */
function handleOf(session: string): string {
  return createHash("sha256").update(session).digest("base64url").slice(0, 16);
}

const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "CrOS", "Linux"];
const browsers = ["Firefox", "Edg", "OPR", "Chrome", "Safari", "curl"];

/** "Firefox on Android": enough for its owner to recognize it. */
export function deviceName(words: Translator, userAgent: string): string {
  const found = browsers.find((name) => userAgent.includes(name)) ?? "";
  const system = systems.find((name) => userAgent.includes(name));
  const browser =
    { Edg: "Edge", OPR: "Opera", "": words.t("settings.unknownBrowser") }[found] ?? found;
  return system === undefined ? browser : words.t("settings.browserOn", { browser, system });
}

interface QrView {
  viewBox: string;
  /** SVG path of all dark modules. */
  path: string;
}

/** A QR code for an svg element, one unit a module. Its border of two modules is part of it. */
export function presentQr(text: string): QrView {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { viewBox: `0 0 ${size} ${size}`, path: path.join("") };
}
