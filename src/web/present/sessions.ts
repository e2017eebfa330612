import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import type { Guesses } from "../../domain/users/guesses.ts";
import { type DeviceSession, listDevices } from "../../domain/users/sessions.ts";
import type { User } from "../../domain/users/store.ts";
import { endSessionForm } from "../forms/settings.ts";
import type { Translator } from "../languages/translator.ts";
import { presentTime } from "./time.ts";

/** The user's open sessions, newest first, with forms to end them. */
export async function presentSessions(ctx: Ctx, words: Translator, user: User, current: string) {
  const devices = await listDevices(ctx, user);
  const { action } = endSessionForm;
  return {
    sessions: devices.map((device) => ({
      ...presentDevice(ctx, words, device),
      current: device.session === current,
      endForm:
        device.session === current
          ? undefined
          : { action, hidden: [{ name: "session", value: handleOf(device.session) }] },
    })),
    endOthers: devices.length > 1 ? { action, hidden: [] } : undefined,
  };
}

/** How often a wrong password was typed; undefined if there is nothing to report. */
export function presentGuesses(words: Translator, guesses: Guesses | undefined, now: number) {
  if (guesses === undefined) return undefined;
  const { isoTime, longTime } = presentTime(words, guesses.since, now);
  return words.pieces("settings.guesses", {
    ...words.counted(guesses.count),
    time: { iso: isoTime, text: longTime },
  });
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

function presentDevice(ctx: Ctx, words: Translator, { session, openedAt, device }: DeviceSession) {
  const { isoTime, longTime } = presentTime(words, openedAt, ctx.now());
  return {
    id: handleOf(session),
    device: deviceName(words, device),
    since: words.pieces("settings.since", { time: { iso: isoTime, text: longTime } }),
  };
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
