import { readdirSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { Invalid, type Problems } from "../errors.ts";
import { drawLogo } from "./logo.ts";
import { drawPicture } from "./picture.ts";
import { drawAvatar, drawHeader } from "./profile.ts";

/**
 * The program of the process that decodes uploads, see draw.ts: answers each order with what was drawn, or why
 * nothing was. It has no settings, no secrets and no connection.
 */
const drawings = { avatar: drawAvatar, header: drawHeader, logo: drawLogo, picture: drawPicture };

export type Drawings = typeof drawings;

export interface Order {
  what: keyof Drawings;
  upload: Buffer;
}

/** `failure`: a defect, in words. */
type Outcome = { drawn: unknown } | { problems: Problems } | { failure: string };

/** `milliseconds` of a core. */
export type Answer = Outcome & { milliseconds: number };

/** Orders come one at a time, so the time of this process is that of the order. */
async function answer(order: Order): Promise<Answer> {
  const before = process.cpuUsage();
  const outcome = await carryOut(order);
  const { user, system } = process.cpuUsage(before);
  return { ...outcome, milliseconds: (user + system) / 1000 };
}

async function carryOut({ what, upload }: Order): Promise<Outcome> {
  try {
    return { drawn: await drawings[what](upload) };
  } catch (error) {
    return error instanceof Invalid ? { problems: error.problems } : { failure: String(error) };
  }
}

/** Linux sets the priority of the main thread only; threads that it starts from now on get its own. */
function sharePriority(): void {
  try {
    for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), getPriority());
  } catch {
    // Another system, or a thread has just ended.
  }
}

process.once("message", sharePriority);
process.on("message", (order: Order) => {
  void answer(order).then((one) => process.send?.(one));
});
// The site finishes its requests and jobs after a signal, and needs this process until then.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
// The site has ended, however it did. An ordinary exit would wait for the decoder.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
try {
  // Linux: where memory runs out, this process is ended and not the site or Redis.
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Another system.
}
