import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import {
  exportFollowsCsv,
  exportLines,
  exportListsCsv,
  exportTweetsCsv,
} from "../../../domain/accounts/export.ts";
import type { ExportOptions } from "../../../domain/accounts/export-rows.ts";
import {
  countArchives,
  exportArchive,
  pictureArchives,
} from "../../../domain/accounts/export-archive.ts";
import { exportMastodon } from "../../../domain/accounts/export-mastodon.ts";
import { importSteps, previewImport, steerImport } from "../../../domain/accounts/import.ts";
import { findImport } from "../../../domain/accounts/import-store.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { findStorageUse } from "../../../domain/accounts/count-storage.ts";
import { quotaOf } from "../../../domain/pictures/stored-bytes.ts";
import { withoutCaching } from "../../../domain/scope.ts";
import { networkOf } from "../../../domain/users/payer.ts";
import { Invalid, required, Unauthenticated } from "../../../domain/errors.ts";
import { formOf, readForm, sentenceFor } from "../../layout/form.ts";
import { contentOf } from "../../api/entities/parts.ts";
import { addressOf } from "../../request/address.ts";
import { limitAtOnce } from "../../request/held-bodies.ts";
import { filesIn, upload, type UploadRules } from "../../request/uploads.ts";
import type { UserId } from "../../../domain/ids.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { findSignedIn } from "../../request/session.ts";
import { formPage } from "../../request/refusals.ts";
import { settingsFrame } from "../settings/view.ts";
import { siteUrl } from "../../server/send-public.ts";
import { presentImport, presentStorage } from "./view.ts";

const path = "/settings/data";
type Write = (ctx: Ctx, options: ExportOptions) => AsyncIterable<string | Buffer>;

const downloads = [
  { file: "export.jsonl", label: "data.exportJson", write: exportLines },
  { file: "export-tweets.csv", label: "data.exportTweets", write: exportTweetsCsv },
  { file: "export-follows.csv", label: "data.exportFollows", write: exportFollowsCsv },
  { file: "export-lists.csv", label: "data.exportLists", write: exportListsCsv },
] as const;

const stepForm = formOf(`${path}/import`, {
  fields: { import: z.string(), step: z.enum(importSteps) },
});

function importRules({ config }: Ctx): UploadRules {
  const problems = { large: "file.large", broken: "file.malformed" } as const;
  const bytes = config.importMegabytes * 1024 * 1024;
  return { bytes, room: "imports", atOnce: 1, onDisk: true, ...problems };
}

/** Export and import of a user's own data. */
export function dataSettings(router: Router, ctx: Ctx, secret: string): void {
  // From /prove back to this page: a browser that downloads stays on the page where it was.
  const confirmed = confirmation(ctx, secret).first(path);
  // A stalled download costs only its connection.
  const begin = limitAtOnce("downloads", 2);

  formPage(router, path, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const problem = problems["file"] ?? problems["form"];
      const [use, current, archives] = await Promise.all([
        findStorageUse(ctx, viewer.id),
        findImport(ctx, viewer.id),
        countArchives(ctx, viewer.id),
      ]);
      res.render("settings/data", {
        ...settingsFrame(words, path, "data.title"),
        downloads,
        storage: presentStorage(words, use, quotaOf(ctx)),
        isCounting: req.query["counting"] !== undefined && use.texts === undefined,
        archives: Array.from({ length: archives }, (_, nth) => nth + 1),
        action: path,
        error: problem && sentenceFor(words, problem),
        megabytes: words.number(ctx.config.importMegabytes),
        current: current && presentImport({ viewer, words }, current),
      });
    },
    checks: [limitVerb(ctx, "import"), upload("file", importRules(ctx))],
    async submit(req, res) {
      const file = filesIn(req)[0]?.path;
      if (file === undefined) throw new Invalid({ file: "file.missing" });
      const from = networkOf(ctx, addressOf(req));
      await previewImport(ctx, requireViewer(res).id, file, from);
      res.redirect(303, path);
    },
  });
  router.post(`${path}/count`, limitVerb(ctx, "profile"), async (_req, res) => {
    await ctx.jobs.chore("count-storage", { user: requireViewer(res).id });
    res.redirect(303, `${path}?counting=1`);
  });
  router.post(stepForm.action, limitVerb(ctx, "steerImport"), async (req, res) => {
    const { import: id, step } = readForm(stepForm, req.body);
    await steerImport(ctx, requireViewer(res).id, { id, step });
    res.redirect(303, path);
  });
  // Exports of version 1 had this address.
  router.get(`${path}/export.json`, (_req, res) => res.redirect(303, `${path}/export.jsonl`));
  /** Offers a file; `number` is that of its path. */
  const offer = (file: string, find: (user: UserId, number: number) => Write | Promise<Write>) =>
    router.get(`${path}/${file}`, confirmed, async (req: Request, res: Response) => {
      const { id } = requireViewer(res);
      if (!begin(id, res)) return;
      const number = Number(req.params["number"]);
      const write = await find(id, number);
      const name = file.replace(":number", String(number));
      // Not recorded: everything is read only once.
      await withoutCaching(() => sendDownload(ctx, req, res, { file: name, write }));
    });
  for (const { file, write } of downloads) offer(file, () => write);
  offer(
    "export-mastodon.zip",
    () =>
      async function* zip(_ctx, options) {
        const content = (tweet: Tweet) => contentOf(tweet.text, tweet.mentions, options.site);
        yield* await exportMastodon(ctx, { ...options, contentOf: content });
      },
  );
  // Tweets with pictures are offered in archives that can be imported.
  offer("export-pictures-:number.zip", async (user, number) => {
    const tweets = required((await pictureArchives(ctx, user))[number - 1], "archive");
    return (_ctx, options) => exportArchive(ctx, options, tweets);
  });
}

/** Streams at the client's pace: data is not read from Redis before the client needs it. */
async function sendDownload(
  ctx: Ctx,
  req: Request,
  res: Response,
  { file, write }: { file: string; write: Write },
): Promise<void> {
  const user = requireViewer(res);
  const day = new Date(ctx.now()).toISOString().slice(0, 10);
  const name = file.replace("export", `suzume-${user.name}-${day}`);
  const options = { user, site: siteUrl(ctx, req) };
  // An archive opens its first files at once, so it is not made for HEAD.
  const pieces = req.method === "HEAD" ? undefined : write(ctx, options)[Symbol.asyncIterator]();
  // An outage at the start is answered like any other.
  const first = await pieces?.next();
  const type = name.endsWith(".jsonl") ? "application/jsonl; charset=utf-8" : name;
  res.type(type).setHeader("Content-Disposition", `attachment; filename="${name}"`);
  if (pieces === undefined || first === undefined) return void res.end();
  try {
    if (res.destroyed) return;
    if (first.done !== true) res.write(first.value);
    const isOpen = async () => (await findSignedIn(ctx, req)) !== undefined;
    await pipeline(Readable.from(restOf(pieces, isOpen), { highWaterMark: 1 }), res);
  } catch (error) {
    // The client knows that it has disconnected. Other failures cut the download, so it does not look complete.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  } finally {
    // Closes the files that the source has opened.
    await pieces.return?.();
  }
}

/** Throws Unauthenticated before the first piece that was read after the session had ended: a client may take days. */
async function* restOf<Piece>(
  pieces: AsyncIterator<Piece>,
  isOpen: () => Promise<boolean>,
): AsyncGenerator<Piece> {
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    if (!(await isOpen())) throw new Unauthenticated("the session has ended");
    yield next.value;
  }
}
