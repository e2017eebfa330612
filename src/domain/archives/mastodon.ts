import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { siteUrl } from "../site-url.ts";
import { parseTimestamp } from "../ids.ts";
import { type ForeignTweet, type Line, optionally, rowsAtMost } from "./archive.ts";
import { textOfHtml } from "./html-text.ts";
import { jsonItems } from "./json-items.ts";
import type { Source, Zip } from "./zip.ts";
import { buffer } from "node:stream/consumers";

// The archive that Mastodon gives to its users: `outbox.json` is a collection of ActivityStreams, newest last, whose
// attachments name files below `media_attachments`.

const followsFile = /^(?:[^/]+\/)?following_accounts\.csv$/;
/** Max bytes of the list of follows. */
const followsBytes = 5_000_000;
const followsHead = /^\uFEFF?"?Account address"?(?:,|\r?\n|$)/;
const outboxFile = /^(?:[^/]+\/)?outbox\.json$/;
const head = /"orderedItems"\s*:\s*\[/;
/** Max bytes of the outbox when it is unpacked. */
const fileBytes = 400 * 1024 * 1024;
const everyone = new Set(["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"]);

const people = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);
/** Several times the longest that servers allow. */
const words = z.string().max(100_000);
const attachment = z.object({
  url: z.string().max(2048),
  mediaType: z.string().catch(""),
  name: optionally(words),
});
const options = optionally(
  z.array(
    z.object({
      name: z.string().max(500),
      replies: z.object({ totalItems: z.int().min(0).catch(0) }).catch({ totalItems: 0 }),
    }),
  ),
);
const note = z.object({
  id: z.string().max(2048),
  type: z.enum(["Note", "Question"]),
  content: words.nullish(),
  contentMap: optionally(z.record(z.string(), z.unknown())),
  summary: optionally(words),
  inReplyTo: optionally(z.string()),
  published: z.string(),
  updated: optionally(z.string()),
  sensitive: optionally(z.boolean()),
  url: optionally(z.string().max(2048)),
  attachment: z.array(z.unknown()).catch([]),
  oneOf: options,
  anyOf: options,
  endTime: optionally(z.string()),
  votersCount: optionally(z.int().min(0)),
});
type Note = z.output<typeof note>;
const activity = z.object({
  type: z.string(),
  to: people,
  cc: people,
  object: z.unknown().optional(),
});

/** Whether a file is `outbox.json` alone. */
export function isOutbox(file: Source): boolean {
  const start = file.head.toString("latin1");
  return /^\s*\{/.test(start) && head.test(start);
}

/** Whether a file is the list of follows alone. */
export function isFollows({ head: start }: Source): boolean {
  return followsHead.test(start.toString("utf8", 0, 100));
}

export function isMastodonArchive({ names }: Zip): boolean {
  return names.some((name) => outboxFile.test(name) || followsFile.test(name));
}

/** Follows, newest first. People of this site have the names that they have here, all others their addresses. */
export async function mastodonFollows(ctx: Ctx, zip: Zip): Promise<Line[]> {
  const file = zip.names.find((name) => followsFile.test(name)) ?? "";
  const pieces = await zip.open(file, followsBytes);
  const here = `@${new URL(siteUrl(ctx, "/")).host}`;
  const text = pieces === undefined ? "" : (await buffer(pieces)).toString();
  // Its head, and one row more than an import may have: that refuses the file.
  const rows = text.split(/\r?\n/, rowsAtMost + 2).slice(1);
  return rows.flatMap((row) => {
    const address = /^"?@?([^",]+)/.exec(row)?.[1] ?? "";
    const name = address.endsWith(here) ? address.slice(0, -here.length) : address;
    return name === "" ? [] : { kind: "follow", json: JSON.stringify({ name }) };
  });
}

export async function* mastodonTweets(
  ctx: Ctx,
  zip: Zip,
): AsyncGenerator<ForeignTweet | undefined> {
  const name = zip.names.find((one) => outboxFile.test(one));
  if (name === undefined) return;
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  for await (const item of jsonItems(await zip.open(name, fileBytes), head)) {
    const { data } = activity.safeParse(item);
    if (data?.type === "Announce") yield { id: "", createdAt: 0, text: "", leftOut: "retweet" };
    else yield data?.type === "Create" ? toTweet(ctx, { zip, folder }, data) : undefined;
  }
}

function toTweet(
  ctx: Ctx,
  archive: { zip: Zip; folder: string },
  { object, to, cc }: z.output<typeof activity>,
): ForeignTweet | undefined {
  const { data } = note.safeParse(object);
  const createdAt = parseTimestamp(data?.published ?? "");
  if (data === undefined || createdAt === undefined) return undefined;
  const { id } = data;
  const audience = audienceIn(to, cc);
  if (audience === "people") return { id, createdAt, text: "", leftOut: "private" };
  const { pictures, others } = attachmentsOf(archive, data);
  // What is no picture, or not in the archive, stays there.
  const rest = others ? `\n\n${data.url ?? id}` : "";
  const text = `${textOfContent(ctx, data.content ?? "")}${rest}`.trim();
  return {
    id,
    createdAt,
    text,
    warning: data.summary,
    language: Object.keys(data.contentMap ?? {})[0],
    replyTo: data.inReplyTo,
    editedAt: parseTimestamp(data.updated ?? ""),
    sensitive: data.sensitive,
    audience,
    pictures,
    poll: pollOf(data),
  };
}

function pollOf({ published, oneOf, anyOf, endTime = published, votersCount }: Note) {
  const answers = anyOf ?? oneOf ?? [];
  if (answers.length < 2) return undefined;
  const votes = answers.map(({ replies }) => replies.totalItems);
  const voters = votersCount ?? votes.reduce((sum, one) => sum + one, 0);
  const choices = answers.map(({ name }) => name);
  return { choices, ends_at: endTime, several: anyOf !== undefined, votes, voters };
}

/** Undefined for everyone. "people": only those who are named; what is not understood counts as such. */
function audienceIn(to: readonly string[], cc: readonly string[]) {
  if (to.some((one) => everyone.has(one))) return undefined;
  if (cc.some((one) => everyone.has(one))) return "unlisted";
  return to.some((one) => one.endsWith("/followers")) ? "followers" : "people";
}

/** Names of people of this site are names, those of others are addresses. */
function textOfContent(ctx: Ctx, html: string): string {
  const here = siteUrl(ctx, "/@");
  return textOfHtml(html, ({ href, text, kinds }) => {
    const isName =
      kinds.includes("hashtag") || (kinds.includes("mention") && href.startsWith(here));
    return isName || !/^https?:/.test(href) ? text : href;
  });
}

function attachmentsOf({ zip, folder }: { zip: Zip; folder: string }, { attachment: all }: Note) {
  const pictures = all.flatMap((one) => {
    const { data } = attachment.safeParse(one);
    const path = /media_attachments\/.*$/s.exec(data?.url ?? "")?.[0];
    const file = `${folder}${path}`;
    const isPicture = path !== undefined && data?.mediaType.startsWith("image/") === true;
    return isPicture && zip.picture(file) ? { file, description: data.name ?? "" } : [];
  });
  return { pictures, others: pictures.length < all.length };
}
