import { userId } from "../domain/ids.ts";
import { draftedPictures, listDue, nextDue } from "../domain/tweets/saved-drafts.ts";
import { filesOf } from "../domain/pictures/files.ts";
import { keys } from "../redis/keys.ts";
import { eachKey } from "./run.ts";

/** A user with a draft that will be sent is listed, and the files of drafts are there. */
export const savedDrafts = eachKey({
  of: ["savedDrafts"],
  read: async ({ ctx }, item) => {
    const user = userId(item.owner);
    const [at, listed, pictures] = await Promise.all([
      nextDue(ctx, user),
      ctx.redis.zscore(keys.dueDrafts, user),
      draftedPictures(ctx, user),
    ]);
    const files = [...pictures.values()].flatMap(filesOf);
    const found = await Promise.all(files.map(async (file) => ctx.storage?.find(file)));
    const missing =
      ctx.storage === undefined ? [] : files.filter((_, nth) => found[nth] === undefined);
    return { ...item, user, at, listed: Number(listed ?? Infinity), missing };
  },
  jobs: ({ user }) => [`erase ${user}`],
  faults: {
    "draft-unlisted": {
      detail: ({ at, listed }) => at !== undefined && listed > at && "is not sent in time",
      how: "list it",
      repair: ({ ctx }, { user }) => listDue(ctx, user),
    },
    "draft-picture-missing": ({ missing }) =>
      missing.length > 0 && `the storage does not have ${missing.join(", ")}`,
  },
});
