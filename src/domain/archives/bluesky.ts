import { buffer } from "node:stream/consumers";
import { type CidLink, isCidLink } from "@atcute/cid";
import { z } from "zod";
import { Invalid } from "../errors.ts";
import { parseTimestamp } from "../ids.ts";
import { type ForeignTweet, optionally } from "./archive.ts";
import { isCar, readRepository } from "./car.ts";
import type { Zip } from "./zip.ts";

// The repository of an account of Bluesky, as a CAR file, alone or in a ZIP with its blobs, each named by its CID.
// The shapes of its records are in the lexicons `app.bsky.feed.post`, `app.bsky.richtext.facet` and `app.bsky.embed.*`.

/** Max bytes of the repository. */
const carBytes = 64 * 1024 * 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const blob = z.object({ ref: z.custom<CidLink>(isCidLink) });
const images = z.object({ images: z.array(z.object({ image: blob, alt: z.string().catch("") })) });
const facet = z.object({
  index: z.object({ byteStart: z.number(), byteEnd: z.number() }),
  features: z.array(
    z.object({ uri: z.string().max(2048).optional(), did: z.string().max(2048).optional() }),
  ),
});
const post = z.object({
  text: z.string().max(100_000),
  createdAt: z.string(),
  langs: z.array(z.string()).catch([]),
  reply: optionally(z.object({ parent: z.object({ uri: z.string() }) })),
  facets: z.array(facet).catch([]),
  labels: optionally(z.object({ values: z.array(z.unknown()) })),
  embed: optionally(
    z.looseObject({
      $type: z.string(),
      media: z.unknown().optional(),
      external: optionally(z.object({ uri: z.string().max(2048) })),
    }),
  ),
});
type Post = z.output<typeof post>;

export function isBlueskyArchive({ names }: Zip): boolean {
  return names.some((name) => name.endsWith(".car"));
}

export async function* blueskyTweets(zip: Zip): AsyncGenerator<ForeignTweet | undefined> {
  const pieces = await zip.open(zip.names.find((name) => name.endsWith(".car")) ?? "", carBytes);
  const blobs = new Map(zip.names.map((name) => [name.replace(/^.*\//s, "").split(".")[0], name]));
  const file = pieces && (await buffer(pieces));
  if (file === undefined || !isCar(file)) throw new Invalid({ file: "import.foreign" });
  try {
    const { did, records } = await readRepository(file);
    for await (const { path, value } of records) {
      if (path.startsWith("app.bsky.feed.repost/"))
        yield { id: path, createdAt: 0, text: "", leftOut: "retweet" };
      else if (path.startsWith("app.bsky.feed.post/"))
        yield toTweet(value(), { id: `at://${did}/${path}`, zip, blobs });
    }
  } catch (error) {
    throw error instanceof Invalid ? error : new Invalid({ file: "import.damaged" });
  }
}

function toTweet(
  value: unknown,
  { id, zip, blobs }: { id: string; zip: Zip; blobs: ReadonlyMap<string | undefined, string> },
): ForeignTweet | undefined {
  const { data } = post.safeParse(value);
  const createdAt = stampOf(data?.createdAt ?? "");
  if (data === undefined || createdAt === undefined) return undefined;
  const shown = imagesOf(data).map(({ image, alt }) => ({
    file: blobs.get(image.ref.$link) ?? "",
    description: alt,
  }));
  const pictures = shown.filter(({ file }) => zip.picture(file) !== undefined);
  const [, did, , name] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(id) ?? [];
  // What is no picture, or not in the archive, and what the post quotes, stays there.
  const isWhole = pictures.length === shown.length && !/video|record/.test(data.embed?.$type ?? "");
  const rest = isWhole ? data.embed?.external?.uri : `https://bsky.app/profile/${did}/post/${name}`;
  const text = withFacets(data);
  return {
    id,
    createdAt,
    text: rest === undefined || text.includes(rest) ? text : `${text}\n\n${rest}`,
    language: data.langs[0],
    replyTo: data.reply?.parent.uri,
    sensitive: (data.labels?.values.length ?? 0) > 0,
    pictures,
  };
}

/** With any offset from UTC, and any number of digits. */
function stampOf(date: string): number | undefined {
  const exact = parseTimestamp(date);
  const milliseconds = Date.parse(date);
  return exact ?? (milliseconds > 0 ? milliseconds * 1000 : undefined);
}

/** Those of the post, or beside what it quotes. */
function imagesOf({ embed }: Post) {
  return [embed, embed?.media].flatMap((one) => images.safeParse(one).data?.images ?? []);
}

/** The text, with whole addresses and people as links. Facets count in bytes of UTF-8. */
function withFacets({ text, facets }: Post): string {
  const bytes = encoder.encode(text);
  let [whole, end] = ["", 0];
  const inOrder = facets.toSorted((one, other) => one.index.byteStart - other.index.byteStart);
  for (const { index, features } of inOrder) {
    const { byteStart: start, byteEnd } = index;
    const { uri, did } = features[0] ?? {};
    const address = uri ?? (did === undefined ? undefined : `https://bsky.app/profile/${did}`);
    if (address === undefined || start < end || byteEnd < start) continue;
    whole += decoder.decode(bytes.subarray(end, start)) + address;
    end = byteEnd;
  }
  return whole + decoder.decode(bytes.subarray(end));
}
