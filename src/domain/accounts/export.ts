import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { formatTimestamp } from "../ids.ts";
import { findListedUsers } from "../users/listed.ts";
import { exportFormat, exportVersion } from "./read-archive.ts";
import { type ExportOptions, namedLists, pagesOf, tweetPages, tweetRow } from "./export-rows.ts";
import { kinds } from "./kinds.ts";

/**
 * All data of a user as JSON Lines, in pieces of bounded size, read only as they are consumed: a header, a line for
 * each row, and a last line that shows that nothing was cut off.
 */
export async function* exportLines(ctx: Ctx, options: ExportOptions): AsyncGenerator<string> {
  const source = { ctx, ...options };
  const exportedAt = new Date(ctx.now()).toISOString();
  yield line("export", { format: exportFormat, version: exportVersion, exported_at: exportedAt });
  for (const [kind, row] of Object.entries(kinds)) {
    // What no import takes is not in each of several archives.
    if (options.tweets !== undefined && kind !== "profile" && !("import" in row)) continue;
    for await (const page of row.export(source))
      if (page.length > 0) yield page.map((one) => line(kind, one)).join("");
  }
  yield line("end", {});
}

function line(kind: string, row: object): string {
  return `${JSON.stringify({ kind, ...row })}\n`;
}

const columns = ["created_at", "text", "reply_to", "retweet_of", "warning", "language"] as const;

/** All tweets of a user, one per row, newest first. */
export async function* exportTweetsCsv(ctx: Ctx, options: ExportOptions): AsyncGenerator<string> {
  const source = { ctx, ...options };
  yield byteOrderMark + csvRow(["url", ...columns, "audience"]);
  for await (const page of tweetPages(source))
    yield page
      .map((tweet) => {
        const { id, audience = "public", ...row } = tweetRow(source, tweet);
        const cells = columns.map((column) => row[column] ?? "");
        return csvRow([`${options.site}/tweets/${id}`, ...cells, audience]);
      })
      .join("");
}

/** Followings and followers of a user, one per row, newest first. */
export async function* exportFollowsCsv(ctx: Ctx, { user }: ExportOptions): AsyncGenerator<string> {
  yield byteOrderMark + csvRow(["list", "name", "fullname", "since"]);
  for (const list of ["followings", "followers"] as const)
    for await (const page of pagesOf(ctx, keys[list](user.id), findListedUsers))
      yield page
        .map(({ user: other, stamp }) =>
          csvRow([list, other.name, other.fullname, formatTimestamp(stamp)]),
        )
        .join("");
}

/** Lists of people in the form of Mastodon's, which other sites import: name of the list, address of the member. */
export async function* exportListsCsv(
  ctx: Ctx,
  { user, site }: ExportOptions,
): AsyncGenerator<string> {
  const { host } = new URL(site);
  for await (const { title, members } of namedLists(ctx, user.id))
    yield members.map((name) => csvRow([title, `${name}@${host}`])).join("");
}

/**
 * A row in RFC 4180 format. Spreadsheets run a cell that begins like a formula: such a cell gets an apostrophe
 * in front, which they do not show. Some separate cells by semicolons or tabs instead: there, too, a formula
 * gets one. Imports use the JSON file, where no text is changed.
 */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Without it, spreadsheets read UTF-8 as the system's old code page; programs skip it. */
const byteOrderMark = "\uFEFF";

const formula = /^[\s\p{C}]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/u;
const laterFormula = /([;\t\r\n]["\s\p{C}]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu;

function csvCell(text: string): string {
  const tame = text.replaceAll(laterFormula, "$1'");
  return `"${(formula.test(text) ? `'${tame}` : tame).replaceAll('"', '""')}"`;
}
