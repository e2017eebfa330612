import { tweetId } from "../domain/ids.ts";
import { buryTweet } from "../domain/tweets/store.ts";
import { versionFields } from "../domain/tweets/versions.ts";
import { keyCheck } from "./exam.ts";
import { jobsAbout } from "./jobs.ts";

/** A tweet that was edited has all of its earlier versions; a tombstone has none. */
export const histories = keyCheck({
  of: ["tweet"],
  async read(exam, items) {
    const found = await exam.ask(
      items.map((item) => ({ ...item, tweet: tweetId(item.owner) })),
      ({ key }) => ({
        values: ["hmget", key, "edits", "edited_at", "deleted_at", ...versionFields],
      }),
    );
    return found.flatMap(({ values: [edits, editedAt, deletedAt, ...versions], ...one }) => {
      const kept = versions.filter((version) => typeof version === "string").length;
      if (edits === null && kept === 0) return [];
      return [{ ...one, edits: Number(edits), kept, isMarked: editedAt !== null, deletedAt }];
    });
  },
  jobs: ({ tweet }) => jobsAbout(tweet),
  faults: {
    "tweet-history": [
      {
        detail: ({ deletedAt, kept }) =>
          deletedAt !== null && kept > 0 && `is deleted, yet has ${kept} earlier versions`,
        repair: "take them away",
        mend: ({ ctx }, { tweet, deletedAt }) => buryTweet(ctx, tweet, Number(deletedAt)),
      },
      {
        detail: ({ deletedAt, edits, kept, isMarked }) =>
          deletedAt === null &&
          (edits !== kept || !isMarked) &&
          `was edited ${edits} times, and has ${kept} earlier versions`,
      },
    ],
  },
});
