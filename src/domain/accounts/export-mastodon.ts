import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { formatTimestamp } from "../ids.ts";
import { effectiveAudience } from "../tweets/audience.ts";
import type { Poll, Tally } from "../tweets/poll.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findListedUsers } from "../users/listed.ts";
import { exportListsCsv } from "./export.ts";
import { addPictures, addProfilePictures, LazyZip, pictureArchives } from "./export-archive.ts";
import {
  avatarFile,
  type ExportOptions,
  headerFile,
  linksOf,
  mapped,
  pagesOf,
  reactions,
  tweetPages,
  withTallies,
} from "./export-rows.ts";

const context = "https://www.w3.org/ns/activitystreams";
const everyone = `${context}#Public`;

interface MastodonOptions extends ExportOptions {
  /** The text of a tweet as the HTML of Mastodon. */
  contentOf: (tweet: Tweet) => string;
}

/**
 * The archive that Mastodon would give, with people and lists as CSV beside it. Everything is read only as it is
 * consumed. What has no counterpart there is listed in `data.mastodonHint`.
 */
export async function exportMastodon(
  ctx: Ctx,
  options: MastodonOptions,
): Promise<AsyncIterable<Buffer>> {
  // Before the archive, which begins to read at once.
  const tweets = (await pictureArchives(ctx, options.user.id)).flat();
  const zip = new LazyZip();
  zip.addText("actor.json", async function* actor() {
    yield JSON.stringify(actorOf(options));
  });
  const pages = withTallies(ctx, tweetPages({ ctx, ...options }));
  const activities = mapped(pages, ({ tweet, tally }) => activityOf(options, tweet, tally));
  zip.addText("outbox.json", () => collection("outbox.json", activities));
  for (const name of ["likes", "bookmarks"] as const) {
    const rows = reactions(keys[name], "at")({ ctx, ...options });
    const addresses = mapped(rows, (row) => (row as { url: string }).url);
    zip.addText(`${name}.json`, () => collection(`${name}.json`, addresses));
  }
  zip.addText("following_accounts.csv", () => followsCsv(ctx, options));
  zip.addText("lists.csv", () => exportListsCsv(ctx, options));
  addProfilePictures(ctx, zip, options.user);
  addPictures(ctx, zip, tweets, mediaFile);
  return zip.end();
}

function mediaFile(name: string): string {
  return `media_attachments/files/${name}`;
}

function actorOf({ user, site }: ExportOptions) {
  const id = actorId({ user, site });
  return {
    "@context": context,
    id,
    type: "Person",
    preferredUsername: user.name,
    name: user.fullname,
    summary: user.bio,
    url: `${site}/@${user.name}`,
    published: formatTimestamp(user.createdAt),
    icon:
      user.avatar === "" ? undefined : { type: "Image", mediaType: "image/webp", url: avatarFile },
    image:
      user.header === "" ? undefined : { type: "Image", mediaType: "image/webp", url: headerFile },
    outbox: "outbox.json",
    likes: "likes.json",
    bookmarks: "bookmarks.json",
  };
}

function actorId({ user, site }: ExportOptions): string {
  return `${site}/@${user.name}`;
}

async function* collection(id: string, pages: AsyncIterable<readonly unknown[]>) {
  let count = 0;
  yield `{"@context":"${context}","id":"${id}","type":"OrderedCollection","orderedItems":[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield `${count === 0 ? "" : ","}\n${page.map((item) => JSON.stringify(item)).join(",\n")}`;
    count += page.length;
  }
  yield `\n],"totalItems":${count}}`;
}

function activityOf(options: MastodonOptions, tweet: Tweet, tally: Tally | undefined) {
  const { retweetOf, poll } = tweet;
  const note = noteOf(options, tweet);
  const { attributedTo: actor, published, to, cc } = note;
  const about = { id: `${note.id}/activity`, actor, published, to, cc };
  const original = linksOf(options.site)(retweetOf);
  if (original !== undefined) return { ...about, type: "Announce", object: original };
  return { ...about, type: "Create", object: { ...note, ...(poll && questionOf(poll, tally)) } };
}

/** Whom a tweet is for. */
function peopleOf(options: ExportOptions, tweet: Tweet): { to: string[]; cc: string[] } {
  const followers = `${actorId(options)}/followers`;
  const audience = effectiveAudience(tweet, options.user);
  if (audience === "public") return { to: [everyone], cc: [followers] };
  if (audience === "unlisted") return { to: [followers], cc: [everyone] };
  return { to: audience === "followers" ? [followers] : [], cc: [] };
}

function noteOf(options: MastodonOptions, tweet: Tweet) {
  const { warning, language, replyTo, editedAt, sensitive = false, pictures = [] } = tweet;
  const id = `${options.site}/tweets/${tweet.id}`;
  const content = options.contentOf(tweet);
  return {
    id,
    type: "Note",
    summary: warning ?? null,
    inReplyTo: linksOf(options.site)(replyTo) ?? null,
    published: formatTimestamp(tweet.createdAt),
    updated: editedAt === undefined ? undefined : formatTimestamp(editedAt),
    url: id,
    attributedTo: actorId(options),
    ...peopleOf(options, tweet),
    sensitive,
    content,
    contentMap: language === undefined ? undefined : { [language]: content },
    attachment: pictures.map(({ large, description, hash }) => ({
      type: "Document",
      mediaType: "image/webp",
      url: `/${mediaFile(large.file)}`,
      name: description === "" ? null : description,
      blurhash: hash,
      width: large.width,
      height: large.height,
    })),
  };
}

function questionOf({ choices, several, ends }: Poll, tally: Tally | undefined) {
  const options = choices.map((name, nth) => ({
    type: "Note",
    name,
    replies: { type: "Collection", totalItems: tally?.counts[nth] ?? 0 },
  }));
  return {
    type: "Question",
    [several === true ? "anyOf" : "oneOf"]: options,
    endTime: new Date(ends).toISOString(),
    votersCount: tally?.voters ?? 0,
  };
}

async function* followsCsv(ctx: Ctx, { user, site }: ExportOptions): AsyncGenerator<string> {
  const { host } = new URL(site);
  yield "Account address,Show boosts,Notify on new posts,Languages\n";
  for await (const page of pagesOf(ctx, keys.followings(user.id), findListedUsers))
    yield page.map(({ user: { name } }) => `${name}@${host},true,false,\n`).join("");
}
