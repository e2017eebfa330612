import { z } from "zod";
import { blockedIn } from "../blocks.ts";
import { parseTimestamp, type Stamp } from "../ids.ts";
import type { Poll } from "../tweets/poll.ts";
import { checkWarned, parseLanguage } from "../tweets/text.ts";
import { wordsOf } from "../tweets/tweet.ts";
import { cleanLine } from "../users/display-text.ts";
import { picturesAtMost } from "../pictures/picture.ts";
import { audiences, replyRights } from "../users/choices.ts";
import { isSpent } from "../users/payer.ts";
import { isQuotaFull } from "../pictures/stored-bytes.ts";
import { dropOriginals, type ImportPicture, PicturesOver } from "./import-pictures.ts";
import type { ImportRun, SkipReason } from "./import-run.ts";
import { digestOf, importTweets, type Original } from "./import-tweets.ts";

/** A poll with its last numbers; other places have more and longer choices. */
const importedPoll = z.object({
  choices: z.array(z.string().max(500)).min(2).max(20),
  ends_at: z.string(),
  several: z.boolean().optional(),
  votes: z.array(z.int().min(0)).max(20),
  voters: z.int().min(0),
});

/** A tweet as a file has it. `left_out`: why it cannot be imported. */
export const importedTweet = z
  .object({
    text: z.string(),
    warning: z.string().optional(),
    language: z.string().optional(),
    // An unknown word may mean fewer people than any that is known: then nobody sees it.
    audience: z.enum(audiences).optional().catch("mentioned"),
    replies_from: z.enum(replyRights).optional().catch(undefined),
    created_at: z.string(),
    retweet_of: z.unknown().optional(),
    pictures: z
      .array(z.object({ file: z.string().default(""), description: z.string().default("") }))
      .max(picturesAtMost)
      .optional(),
    poll: importedPoll.optional().catch(undefined),
    sensitive: z.boolean().optional(),
    edited_at: z.string().optional(),
    id: z.string().optional().catch(undefined),
    reply_to: z.string().optional().catch(undefined),
    left_out: z.enum(["retweet", "private"]).optional(),
  })
  .transform(({ retweet_of: original, ...row }) => {
    // The people of a message are on its site.
    const leftOut = row.audience === "mentioned" ? ("private" as const) : row.left_out;
    return { ...row, left_out: original === undefined ? leftOut : ("retweet" as const) };
  });

/** A tweet to import. Only its shape was checked. */
export interface TweetRow extends Omit<
  z.output<typeof importedTweet>,
  "id" | "reply_to" | "pictures"
> {
  /** Those whose files are in the archive. */
  pictures?: ImportPicture[] | undefined;
  /** Digest of the tweet of the same file that it answers; see digestOf. */
  answers?: string | undefined;
}

/** What replies in the same file call a tweet. Undefined if it has no valid date. */
export function digestOfRow(row: Pick<TweetRow, "text" | "warning" | "created_at">) {
  const createdAt = parseTimestamp(row.created_at);
  const { text } = checkWarned(row);
  return createdAt === undefined ? undefined : digestOf({ text, createdAt });
}

/** Tweets that are younger than this when an import begins are refused: followers would see them as new. */
const newsMicroseconds = 24 * 60 * 60 * 1e6;

/** Writes tweets of a file. Those with pictures come one after another: each keeps a core busy. */
export async function importTweetRows(run: ImportRun, rows: TweetRow[]): Promise<void> {
  const { ctx, payer, tally } = run;
  let originals: Original[] = [];
  for (const row of rows) {
    const read = readTweetRow(row, run.startedAt);
    const isBlocked =
      typeof read !== "string" && (await blockedIn(ctx, wordsOf(read))) !== undefined;
    const checked = isBlocked ? "blocked" : read;
    if (typeof checked === "string") {
      tally.skip(checked, 1);
      await dropOriginals(ctx, payer.user, row.pictures);
    } else if (checked.pictures === undefined) originals.push(checked);
    else {
      // An answer comes after what it answers.
      await write(run, originals);
      originals = [];
      await writePictured(run, checked);
    }
  }
  await write(run, originals);
}

/** Resolves to whether all of them are on this site now. */
async function write({ ctx, payer, id, tally, alive }: ImportRun, originals: Original[]) {
  const written = await importTweets(ctx, payer, { originals, by: id, alive });
  for (const { outcome, isListed } of written) {
    tally.note("tweets", outcome);
    if (!isListed) tally.count("unlisted", 1);
  }
  return written.every(({ outcome }) => outcome === "imported");
}

async function writePictured(run: ImportRun, original: Original): Promise<void> {
  const { ctx, payer, tally } = run;
  const { pictures = [], text } = original;
  run.isOver ||=
    (await isSpent(ctx, "pictureKilobyte", payer)) || (await isQuotaFull(ctx, payer.user));
  let isImported = false;
  if (!run.isOver)
    isImported = await write(run, [original]).catch((error: unknown) => {
      if (!(error instanceof PicturesOver)) throw error;
      run.isOver = true;
      return false;
    });
  const { isOver } = run;
  // The tweet itself comes now, the pictures with the same file on another day.
  if (isOver && text === "") tally.skip("budget", 1);
  else if (isOver) isImported = await write(run, [{ ...original, pictures: undefined }]);
  const shown = await dropOriginals(ctx, payer.user, pictures);
  tally.count("pictures", shown);
  if (isImported || isOver) tally.skip(isOver ? "pictures" : "picture", pictures.length - shown);
}

/** A row as a tweet, or the reason why it cannot be one, as far as the row tells. `startedAt`: when its file was read. */
export function readTweetRow(row: TweetRow, startedAt: Stamp): Original | SkipReason {
  if (row.left_out !== undefined) return row.left_out;
  const createdAt = parseTimestamp(row.created_at);
  if (createdAt === undefined || createdAt > startedAt) return "date";
  if (createdAt > startedAt - newsMicroseconds) return "recent";
  const editedAt = parseTimestamp(row.edited_at ?? "");
  const { pictures, sensitive, answers } = row;
  const { text, warning, problems } = checkWarned(row, { mayBeEmpty: pictures !== undefined });
  if (Object.keys(problems).length > 0) return "text";
  const poll = row.poll && pollHeldElsewhere(row.poll, startedAt);
  const isEdited = editedAt !== undefined && editedAt > createdAt && editedAt <= startedAt;
  const edited = isEdited ? editedAt : undefined;
  const language = parseLanguage(row.language ?? "");
  const words = { text, warning, language, poll, createdAt, editedAt: edited };
  const reach = { audience: row.audience, repliesFrom: row.replies_from };
  return { ...words, ...reach, pictures, sensitive, answers };
}

/** Nobody votes in it here: its numbers are those of the file. */
function pollHeldElsewhere(row: z.output<typeof importedPoll>, startedAt: Stamp): Poll {
  const ends = Math.min(parseTimestamp(row.ends_at) ?? startedAt, startedAt);
  const choices = row.choices.map(cleanLine);
  const counts = choices.map((_, nth) => row.votes[nth] ?? 0);
  const elsewhere = { counts, voters: row.voters };
  return { choices, ends: Math.floor(ends / 1000), several: row.several, elsewhere };
}
