import { z } from "zod";
import { keys } from "../../redis/keys.ts";
import { rowsAtMost } from "../archives/archive.ts";
import { Invalid } from "../errors.ts";
import { listPasskeys } from "../factors/passkeys.ts";
import { findTotp } from "../factors/codes.ts";
import { filtersAtMost, listFilters } from "../graph/filters.ts";
import { followedTags, tagsAtMost } from "../graph/follows.ts";
import { listsAtMost, membersAtMost, repliesPolicies } from "../graph/lists.ts";
import { timedMutes } from "../graph/relations.ts";
import { formatTimestamp } from "../ids.ts";
import { listDevices } from "../users/sessions.ts";
import { findUsers } from "../users/store.ts";
import {
  conversations,
  earlierRow,
  type Export,
  mapped,
  namedLists,
  pagesOf,
  people,
  profileRow,
  reactions,
  toTweets,
  tweetPages,
  tweetRow,
  whole,
  withTallies,
} from "./export-rows.ts";
import {
  importFollow,
  importList,
  importTag,
  importWord,
  toWordRows,
  wordRow,
} from "./import-rows.ts";
import type { Counter, ImportRun, Outcome, SkipReason } from "./import-run.ts";
import { importedTweet, importTweetRows } from "./import-tweet-rows.ts";
import { findAddress } from "./mail.ts";
import { earlierTexts } from "../tweets/versions.ts";

/** A kind of row in an export. Those with `import` can be imported, too. */
interface Kind {
  export: Export;
  /** Its list in files of version 1. */
  formerly?: string;
  schema?: z.ZodType;
  /** Max rows in a file. */
  most?: number;
  /** Writes rows, oldest first, and counts them. May run twice. */
  import?: (run: ImportRun, rows: never[]) => Promise<void>;
}

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
    export: people(keys.followings),
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
    async *export({ ctx, user }) {
      for await (const { title, replies, createdAt, members } of namedLists(ctx, user.id))
        yield [{ title, replies, created_at: formatTimestamp(createdAt), members }];
    },
    schema: z.object({
      title: z.string(),
      replies: z.enum(repliesPolicies).catch("list"),
      members: z.array(z.string()).max(membersAtMost),
    }),
    most: listsAtMost,
    import: oneByOne("lists", importList),
  },
  timed_mute: {
    export: whole(async ({ ctx, user }) => {
      const ends = await timedMutes(ctx, user.id);
      const muted = [...(await findUsers(ctx, ends.keys())).values()];
      return muted.map(({ id, name }) => ({ name, until: formatTimestamp(ends.get(id) ?? 0) }));
    }),
  },
  follower: { export: people(keys.followers) },
  follow_request: { export: people(keys.followRequests) },
  requested_follow: { export: people(keys.requested) },
  mute: { export: people(keys.mutes) },
  block: { export: people(keys.blocks) },
  like: { export: reactions(keys.likes, "liked_at") },
  bookmark: { export: reactions(keys.bookmarks, "bookmarked_at") },
  vote: { export: reactions(keys.votes, "asked_at") },
  tweet: {
    formerly: "tweets",
    export: (source) =>
      mapped(withTallies(source.ctx, tweetPages(source)), ({ tweet, tally }) =>
        tweetRow(source, tweet, tally),
      ),
    schema: importedTweet,
    most: rowsAtMost,
    import: importTweetRows,
  },
  /** Messages that the user wrote; `to`: names of the others. They are not imported: their people are those of this site. */
  message: {
    export(source) {
      const messages = pagesOf(source.ctx, keys.sentMessages(source.user.id), toTweets);
      return mapped(withTallies(source.ctx, messages), ({ tweet, tally }) => ({
        ...tweetRow(source, tweet, tally),
        to: tweet.mentions?.map(({ name }) => name),
      }));
    },
  },
  conversation: { export: conversations(keys.conversations) },
  message_request: { export: conversations(keys.messageRequests) },
  /** What edits have replaced. Rows of their own: with a whole history, a tweet would be too long to import. */
  earlier_version: {
    async *export(source) {
      for await (const page of tweetPages(source))
        yield (await earlierTexts(source.ctx, page)).map((version) => earlierRow(source, version));
    },
  },
} as const satisfies Record<string, Kind>;

/** Imports rows one after another. `counter` is also the reason why a row is skipped that is not allowed. */
function oneByOne<Row>(
  counter: Counter & SkipReason,
  importRow: (run: ImportRun, row: Row) => Promise<Outcome>,
): (run: ImportRun, rows: Row[]) => Promise<void> {
  return async (run, rows) => {
    for (const row of rows) {
      const outcome = await importRow(run, row).catch((error: unknown): Outcome => {
        if (error instanceof Invalid) return counter;
        throw error;
      });
      run.tally.note(counter, outcome);
    }
  };
}
