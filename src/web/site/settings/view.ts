import type { Key, Translator } from "../../languages/translator.ts";

/** Values that every settings page needs. `section`: its address in the list of all. */
export function settingsFrame(words: Translator, section: string, title: Key) {
  return { title: `${words.t(title)} · ${words.t("nav.settings")}`, section };
}

const systems = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "CrOS", "Linux"];
const browsers = ["Firefox", "Edg", "OPR", "Chrome", "Safari", "curl"];

/** "Firefox on Android": enough for its owner to recognize it. */
export function deviceName(words: Translator, userAgent: string): string {
  const mark = browsers.find((name) => userAgent.includes(name)) ?? "";
  const system = systems.find((name) => userAgent.includes(name));
  const browser =
    { Edg: "Edge", OPR: "Opera", "": words.t("settings.unknownBrowser") }[mark] ?? mark;
  return system === undefined ? browser : words.t("settings.browserOn", { browser, system });
}
