import { archiveOf } from "./account-files.ts";

// Writes archives as Mastodon gives them to its users: ActivityStreams, see docs.joinmastodon.org.

export const server = "https://mastodon.example";
const everyone = "https://www.w3.org/ns/activitystreams#Public";
const actor = `${server}/users/owner`;

export interface PostInput {
  id: string;
  html: string;
  at: string;
  replyTo?: string;
  warning?: string;
  language?: string;
  sensitive?: boolean;
  attachments?: { file: string; type?: string; description?: string }[];
  audience?: "public" | "unlisted" | "followers" | "direct";
}

export const postId = (id: string) => `${actor}/statuses/${id}`;

export function create(input: PostInput) {
  const { id, html, at, warning, language = "en", attachments = [], audience = "public" } = input;
  const followers = `${actor}/followers`;
  const to = { public: everyone, unlisted: followers, followers, direct: `${server}/users/ann` };
  const cc = { public: [followers], unlisted: [everyone], followers: [], direct: [] };
  const audiences = { to: [to[audience]], cc: cc[audience] };
  return {
    id: `${postId(id)}/activity`,
    type: "Create",
    actor,
    published: at,
    ...audiences,
    object: {
      id: postId(id),
      type: "Note",
      summary: warning ?? null,
      inReplyTo: input.replyTo === undefined ? null : input.replyTo,
      published: at,
      url: `${server}/@owner/${id}`,
      attributedTo: actor,
      ...audiences,
      sensitive: input.sensitive ?? warning !== undefined,
      content: html,
      contentMap: { [language]: html },
      attachment: attachments.map(({ file, type = "image/png", description = null }) => ({
        type: "Document",
        mediaType: type,
        url: `/media_attachments/files/${file}`,
        name: description,
        blurhash: "UBL_:rOpGG-oBUNG,qRj2so|=eE1w^n4S5NH",
        width: 600,
        height: 400,
      })),
      tag: [],
    },
  };
}

export function announce(id: string, at: string) {
  const object = "https://other.example/users/ann/statuses/1";
  return { id: postId(id), type: "Announce", actor, published: at, to: [everyone], cc: [], object };
}

export function outbox(items: readonly unknown[]): Buffer {
  return Buffer.from(
    JSON.stringify({
      "@context": ["https://www.w3.org/ns/activitystreams", { Hashtag: "as:Hashtag" }],
      id: "outbox.json",
      type: "OrderedCollection",
      totalItems: items.length,
      orderedItems: items,
    }),
  );
}

export async function mastodonArchive(
  items: readonly unknown[],
  more: Record<string, Buffer> = {},
): Promise<Buffer> {
  return await archiveOf({
    "actor.json": Buffer.from(JSON.stringify({ id: actor, type: "Person" })),
    "likes.json": Buffer.from("{}"),
    "outbox.json": outbox(items),
    ...more,
  });
}
