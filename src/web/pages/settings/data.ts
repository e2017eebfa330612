import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import {
  type Export,
  exportFollowsCsv,
  exportJson,
  exportTweetsCsv,
} from "../../../domain/accounts/export.ts";
import { startImport } from "../../../domain/accounts/import.ts";
import { findImport } from "../../../domain/accounts/import-store.ts";
import { aside } from "../../../domain/recorded.ts";
import { Invalid, type Problems, TooMany } from "../../../domain/errors.ts";
import type { Key } from "../../languages/translator.ts";
import { sentenceFor } from "../../forms/problems.ts";
import { confirmation } from "../../middleware/confirmation.ts";
import { onRefusal } from "../../middleware/errors.ts";
import { wordsOf } from "../../middleware/language.ts";
import { absoluteUrl } from "../../middleware/locals.ts";
import { limitAct } from "../../middleware/limits.ts";
import { requireViewer } from "../../middleware/session.ts";
import { upload } from "../../middleware/upload.ts";
import { presentImport } from "../../present/imports.ts";
import { settingsFrame } from "./settings.ts";

const path = "/settings/data";
/** Max bytes of an import, enough for about 90,000 tweets. */
const largestFile = 20 * 1024 * 1024;
/** Max downloads of one user per process. A stalled download costs only its place. */
const downloadsAtOnce = 2;

interface Download {
  href: string;
  label: Key;
  type: string;
  write: (ctx: Ctx, about: Export) => AsyncGenerator<string>;
}

const downloads: readonly Download[] = [
  {
    href: `${path}/export.json`,
    label: "data.exportJson",
    type: "application/json; charset=utf-8",
    write: exportJson,
  },
  {
    href: `${path}/export-tweets.csv`,
    label: "data.exportTweets",
    type: "text/csv; charset=utf-8",
    write: exportTweetsCsv,
  },
  {
    href: `${path}/export-follows.csv`,
    label: "data.exportFollows",
    type: "text/csv; charset=utf-8",
    write: exportFollowsCsv,
  },
];

/** Export and import of a user's own data. */
export function dataPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  // From /prove back to this page: a browser that downloads stays on the page where it was.
  const confirmed = confirmation(ctx, secret).first(path);
  const limited = limitDownloads();

  router.get(path, async (req, res) => showData(ctx, req, res));
  router.post(
    path,
    onRefusal((req, res, problems) => showData(ctx, req, res, problems)),
    limitAct(ctx, "imports"),
    upload("file", {
      bytes: largestFile,
      atOnce: 4,
      large: "file.large",
      broken: "file.malformed",
    }),
    async (req, res) => {
      if (req.file === undefined) throw new Invalid({ file: "file.missing" });
      await startImport(ctx, requireViewer(res).id, req.file.buffer);
      res.redirect(303, path);
    },
  );
  for (const download of downloads)
    router.get(download.href, confirmed, async (req, res) => {
      const { id } = requireViewer(res);
      // Not recorded: everything is read only once.
      await limited(id, () => aside(() => sendDownload(ctx, req, res, download)));
    });
  return router;
}

async function showData(
  ctx: Ctx,
  _req: Request,
  res: Response,
  problems: Problems = {},
): Promise<void> {
  const { id } = requireViewer(res);
  const problem = problems["file"] ?? problems["form"];
  const current = await findImport(ctx, id);
  const words = wordsOf(res);
  res.render("settings/data", {
    ...settingsFrame(words, path, "data.title"),
    downloads: downloads.map(({ href, label }) => ({ href, label: words.t(label) })),
    action: path,
    again: path,
    error: problem && sentenceFor(words, problem),
    current: current && presentImport(words, current, ctx.now()),
  });
}

/** Streams at the client's pace: data is not read from Redis before the client needs it. */
async function sendDownload(
  ctx: Ctx,
  req: Request,
  res: Response,
  { href, type, write }: Download,
): Promise<void> {
  const user = requireViewer(res);
  const day = new Date(ctx.now()).toISOString().slice(0, 10);
  const name = href
    .slice(href.lastIndexOf("/") + 1)
    .replace("export", `suzume-${user.name}-${day}`);
  const pieces = write(ctx, { user, site: absoluteUrl(ctx, req, "") });
  // An outage at the start is answered like any other.
  const first = req.method === "HEAD" ? undefined : await pieces.next();
  res.setHeader("Content-Type", type);
  res.setHeader("Content-Disposition", `attachment; filename="${name}"`);
  if (first === undefined) {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(startingWith(first, pieces), { highWaterMark: 1 }), res);
  } catch (error) {
    // The client knows that it has disconnected. Other failures cut the download, so it does not look complete.
    if (!isGone(error)) throw error;
  }
}

async function* startingWith(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string> {
  if (first.done !== true) yield first.value;
  yield* rest;
}

function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_STREAM_PREMATURE_CLOSE";
}

/** Limits the simultaneous downloads of each user. Throws TooMany. */
function limitDownloads() {
  const running = new Map<string, number>();
  return async (user: string, work: () => Promise<void>): Promise<void> => {
    const count = running.get(user) ?? 0;
    if (count >= downloadsAtOnce) throw new TooMany("downloads", 10);
    running.set(user, count + 1);
    try {
      await work();
    } finally {
      const left = (running.get(user) ?? 1) - 1;
      if (left === 0) running.delete(user);
      else running.set(user, left);
    }
  };
}
