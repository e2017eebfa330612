import type { Ctx } from "../../../src/context.ts";
import type { ImportProgress } from "../../../src/domain/accounts/import-run.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import { importFile } from "../data/account-files.ts";
import { newPerson, readAll, readOwnPage } from "./people.ts";

/** All tweets of a user as their author sees them, oldest first. */
export async function ownTweets(ctx: Ctx, user: UserId): Promise<Tweet[]> {
  return (await readAll((before) => readOwnPage(ctx, user, before))).toReversed();
}

/** Someone who moved in with a file. */
export interface Mover {
  user: UserId;
  progress: ImportProgress;
  tweets: Tweet[];
}

/** A new user who imports a file, and the tweets that it brought. */
export async function moveIn(ctx: Ctx, file: Buffer): Promise<Mover> {
  const user = await newPerson(ctx);
  const progress = await importFile(ctx, user, file);
  return { user, progress, tweets: await ownTweets(ctx, user) };
}
