import { z } from "zod";
import { listPasskeys } from "../factors/passkeys.ts";
import { findTotp } from "../factors/totp.ts";
import { filtersAtMost, listFilters } from "../graph/filters.ts";
import { followedTags, tagsAtMost } from "../graph/follows.ts";
import { listsAtMost, membersAtMost, repliesPolicies } from "../graph/lists.ts";
import { picturesAtMost } from "../pictures/picture.ts";
import { formatTimestamp } from "../stamp.ts";
import { listDevices } from "../users/sessions.ts";
import type { ListedUser } from "../users/listed.ts";
import { earlierRow, type ExportSource, profileRow, tweetPages, tweetRow } from "./export-rows.ts";
import { importFollow, importTag } from "./import-follows.ts";
import { importList } from "./import-lists.ts";
import type { Counter, ImportRun, Outcome } from "./import-run.ts";
import { importTweetRows } from "./import-tweet-rows.ts";
import { findAddress } from "./mail-address.ts";
import { importWord, toWordRows, wordRow } from "./muted-word-rows.ts";
import { earlierTexts } from "../tweets/versions.ts";
import { type ListedTweet, ownLists } from "./own-lists.ts";

/** A kind of row in an export. Those with `import` can be imported, too. */
interface Kind {
  /** Rows in pages of bounded size, newest first, read as they are consumed. */
  export: (source: ExportSource) => AsyncIterable<readonly object[]>;
  /** Its list in files of version 1. */
  formerly?: string;
  schema?: z.ZodType;
  /** Max rows in a file. */
  most?: number;
  /** Writes rows, oldest first, and counts them. May run twice. */
  import?: (run: ImportRun, rows: never[]) => Promise<void>;
}

/** Max rows of all kinds in a file: work for some minutes, and more than a file of 20 MB usually has. */
export const rowsAtMost = 200_000;

/** One row for each kind of data in an export, in the order of the file. It leaves out whatever gives access. */
export const kinds = {
  profile: { export: whole((source) => Promise.resolve([profileRow(source)])) },
  mail: {
    export: whole(async ({ ctx, user }) => {
      const mail = await findAddress(ctx, user.id);
      return mail === undefined ? [] : [{ address: mail.address }];
    }),
  },
  session: {
    export: whole(async ({ ctx, user }) =>
      (await listDevices(ctx, user)).map(({ openedAt, device }) => ({
        opened_at: formatTimestamp(openedAt),
        device,
      })),
    ),
  },
  passkey: {
    export: whole(async ({ ctx, user }) =>
      (await listPasskeys(ctx, user.id)).map(({ name, createdAt, usedAt }) => ({
        name,
        created_at: formatTimestamp(createdAt),
        used_at: usedAt === undefined ? undefined : formatTimestamp(usedAt),
      })),
    ),
  },
  authenticator_app: {
    export: whole(async ({ ctx, user }) => {
      const since = await findTotp(ctx, user.id);
      return since === undefined ? [] : [{ since: formatTimestamp(since) }];
    }),
  },
  follow: {
    formerly: "followings",
    export: paged("followings", personRow),
    schema: z.object({ name: z.string() }),
    most: rowsAtMost,
    import: oneByOne("follows", importFollow),
  },
  tag: {
    formerly: "followed_tags",
    export: whole(async ({ ctx, user }) =>
      (await followedTags(ctx, user.id)).map((tag) => ({ tag })),
    ),
    schema: z.object({ tag: z.string() }),
    most: tagsAtMost,
    import: oneByOne("tags", importTag),
  },
  word: {
    formerly: "muted_words",
    export: whole(async ({ ctx, user }) => (await listFilters(ctx, user.id)).flatMap(toWordRows)),
    schema: wordRow,
    most: filtersAtMost,
    import: oneByOne("words", importWord),
  },
  /** Imported after the follows: a list holds followed users only. */
  list: {
    formerly: "lists",
    export: paged("people", ({ title, replies, createdAt, members }) => ({
      title,
      replies,
      created_at: formatTimestamp(createdAt),
      members,
    })),
    schema: z.object({
      title: z.string(),
      replies: z.enum(repliesPolicies).catch("list"),
      members: z.array(z.string()).max(membersAtMost),
    }),
    most: listsAtMost,
    import: oneByOne("lists", importList),
  },
  timed_mute: {
    export: paged("timedMutes", ({ name, until }) => ({ name, until: formatTimestamp(until) })),
  },
  follower: { export: paged("followers", personRow) },
  mute: { export: paged("mutes", personRow) },
  block: { export: paged("blocks", personRow) },
  like: { export: paged("likes", reactionRow("liked_at")) },
  bookmark: { export: paged("bookmarks", reactionRow("bookmarked_at")) },
  tweet: {
    formerly: "tweets",
    export: (source) => mapped(tweetPages(source), (tweet) => tweetRow(source, tweet)),
    schema: z
      .object({
        text: z.string(),
        warning: z.string().optional(),
        language: z.string().optional(),
        created_at: z.string(),
        retweet_of: z.unknown().optional(),
        pictures: z
          .array(z.object({ file: z.string().default(""), description: z.string().default("") }))
          .max(picturesAtMost)
          .optional(),
        sensitive: z.boolean().optional(),
        edited_at: z.string().optional(),
      })
      .transform(({ retweet_of: original, ...row }) => ({
        ...row,
        retweet: original !== undefined,
      })),
    most: rowsAtMost,
    import: importTweetRows,
  },
  /** What edits have replaced. Rows of their own: with a whole history, a tweet would be too long to import. */
  earlier_version: {
    async *export(source) {
      for await (const page of tweetPages(source))
        yield (await earlierTexts(source.ctx, page)).map((version) => earlierRow(source, version));
    },
  },
} as const satisfies Record<string, Kind>;

/** All rows at once: their number is bounded. */
function whole(read: (source: ExportSource) => Promise<object[]>): Kind["export"] {
  return async function* rows(source) {
    yield await read(source);
  };
}

type Lists = ReturnType<typeof ownLists>;
type ItemOf<Name extends keyof Lists> =
  ReturnType<Lists[Name]> extends AsyncIterable<(infer Item)[]> ? Item : never;

/** The rows of one of the user's lists. */
function paged<Name extends keyof Lists>(
  name: Name,
  toRow: (item: ItemOf<Name>, source: ExportSource) => object,
): Kind["export"] {
  return (source) => {
    const pages = ownLists(source.ctx, source.user.id)[name]() as AsyncIterable<ItemOf<Name>[]>;
    return mapped(pages, (item) => toRow(item, source));
  };
}

async function* mapped<Item>(
  pages: AsyncIterable<readonly Item[]>,
  toRow: (item: Item) => object,
): AsyncGenerator<object[]> {
  for await (const page of pages) yield page.map(toRow);
}

function personRow({ user, stamp }: ListedUser) {
  return { name: user.name, fullname: user.fullname, since: formatTimestamp(stamp) };
}

function reactionRow(at: string) {
  return ({ tweet, author, stamp }: ListedTweet, { site }: ExportSource) => ({
    url: `${site}/tweets/${tweet}`,
    author: author.name,
    [at]: formatTimestamp(stamp),
  });
}

/** Imports rows one after another. */
function oneByOne<Row>(
  counter: Counter,
  importRow: (run: ImportRun, row: Row) => Promise<Outcome>,
): (run: ImportRun, rows: Row[]) => Promise<void> {
  return async (run, rows) => {
    for (const row of rows) run.tally.note(counter, await importRow(run, row));
  };
}
