import { type ChildProcess, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { availableParallelism, getPriority, setPriority } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type Place, limitConcurrency } from "../concurrency-limit.ts";
import { Invalid } from "../errors.ts";
import type { Answer, Drawings, Order } from "./child.ts";

const extension = extname(fileURLToPath(import.meta.url));
/**
 * `niceness`: pages come first, these processes get the time that the site leaves; see `nice`. From sources, in
 * development and tests, they get as much as the site: tests leave none.
 */
const { execArgv, niceness } =
  extension === ".ts"
    ? { execArgv: ["--import", "tsx"], niceness: 0 }
    : { execArgv: [], niceness: 10 };
/** Max milliseconds of an order. Steps have limits of their own: a hanging decoder reaches this one. */
const longestMilliseconds = 45_000;
/** Milliseconds without an order after which a process ends. That frees 70 MB. */
const restMilliseconds = 60_000;

/** Leaves a core for pages; in each queue, waiting pictures take up to 5 MB of memory each. */
const inSlot = limitConcurrency({
  what: "pictures to convert",
  slots: Math.min(2, Math.max(1, availableParallelism() - 1)),
  queueLimit: 20,
  retryAfter: 10,
});

/** 64 bits of the content of files. Addresses carry them: what an address shows never changes. */
export function contentDigest(...files: Buffer[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file);
  return hash.digest("hex").slice(0, 16);
}

/** Processes that wait for an order, and the timers that end them. */
const resting = new Map<ChildProcess, NodeJS.Timeout>();

export type Drawn<What extends keyof Drawings> = Awaited<ReturnType<Drawings[What]>>;

/**
 * Decodes an upload and draws what is made of it, in a process of its own: it takes no time of pages, and a picture
 * that kills it ends nothing else. Users take turns, see Place; `spend` is told the milliseconds of a core that it
 * took. Throws Invalid beside the field `what`, TooMany while too many others wait.
 */
export async function draw<What extends keyof Drawings>(
  what: What,
  upload: Buffer,
  { place, spend }: { place?: Place; spend?: (milliseconds: number) => void } = {},
): Promise<Drawn<What>> {
  const order: Order = { what, upload };
  const giveOnce = async () => {
    const began = performance.now();
    const answer = await give(order);
    spend?.(answer?.milliseconds ?? performance.now() - began);
    return answer;
  };
  // A process may end for reasons of its own; two in a row end because of the picture.
  const answer = await inSlot(async () => (await giveOnce()) ?? (await giveOnce()), place);
  if (answer === undefined) throw broken(what);
  if ("problems" in answer) throw new Invalid(answer.problems);
  if ("failure" in answer) throw new Error(`drawing failed: ${answer.failure}`);
  return answer.drawn as Drawn<What>;
}

function broken(what: keyof Drawings): Invalid {
  return new Invalid({ [what]: what === "picture" ? "picture.broken" : "avatar.broken" });
}

/** Undefined if the process ended instead of answering. Throws Invalid if it took too long. */
async function give(order: Order): Promise<Answer | undefined> {
  const child = takeResting() ?? start();
  const over = new AbortController();
  const { signal } = over;
  const limit = setTimeout(() => child.kill("SIGKILL"), longestMilliseconds);
  try {
    const ended = once(child, "exit", { signal }).then(() => []);
    const answered = once(child, "message", { signal });
    // An error of sending is followed by the end.
    child.send(order, () => {});
    const [answer] = (await Promise.race([answered, ended])) as [Answer?];
    if (answer !== undefined) rest(child);
    else if (child.killed) throw broken(order.what);
    return answer;
  } finally {
    over.abort();
    clearTimeout(limit);
  }
}

function start(): ChildProcess {
  const child = fork(fileURLToPath(new URL(`child${extension}`, import.meta.url)), {
    execArgv,
    // No secrets: the decoder reads what strangers sent.
    env: {},
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // Before the first order, with which all its threads take over this priority.
  if (child.pid !== undefined) setPriority(child.pid, Math.max(niceness, getPriority()));
  child.once("exit", () => forget(child));
  // Without a listener it would end the site; `give` gets the error by its own listener.
  child.on("error", () => {});
  return child;
}

/** A process without orders does not keep the site from ending. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  const end = () => {
    forget(child);
    child.kill("SIGKILL");
  };
  resting.set(child, setTimeout(end, restMilliseconds).unref());
}

function takeResting(): ChildProcess | undefined {
  const [child] = resting.keys();
  if (child === undefined) return undefined;
  forget(child);
  child.ref();
  child.channel?.ref();
  return child;
}

function forget(child: ChildProcess): void {
  clearTimeout(resting.get(child));
  resting.delete(child);
}
