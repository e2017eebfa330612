import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { findGuesses } from "../../domain/users/log-in.ts";
import { listDevices } from "../../domain/users/sessions.ts";
import type { User } from "../../domain/users/store.ts";
import { endSessionForm } from "../forms/accounts.ts";
import type { SignedInReader, Translator } from "../languages/translator.ts";
import { presentMoment } from "./time.ts";

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
  const guesses = await findGuesses(ctx, viewer.id);
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
      guesses &&
      words.pieces("settings.guesses", {
        ...words.counted(guesses.count),
        time: presentMoment(words, guesses.since),
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
