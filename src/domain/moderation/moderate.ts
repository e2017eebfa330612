import type { Ctx } from "../../context.ts";
import { endAllApps } from "../apps/tokens.ts";
import { NotFound, required } from "../errors.ts";
import type { TweetId, UserId } from "../ids.ts";
import { removeTweet } from "../actions/delete-tweet.ts";
import { findTombstone, findTweet } from "../tweets/store.ts";
import { removeHeader } from "../pictures/header.ts";
import { factFields } from "../profile-fields.ts";
import { removeAvatar } from "../users/avatars.ts";
import { writeProfile } from "../users/settings.ts";
import { forbidSuspending, reinstateUser, suspendUser } from "../users/suspension.ts";
import { findUser, type User } from "../users/store.ts";
import {
  type Decision,
  type ProfilePart,
  recordEntry,
  type Verb,
  personSubject,
  type Subject,
} from "./audit.ts";
import { checkComment } from "./report.ts";
import { hasOpenReports, resolveReports } from "./store.ts";

// Each verb writes its decision into the audit log, carries it out, and takes its subject out of the queue, in this
// order. All may run twice.

/** Decides that nothing is wrong. Does nothing if there are no open reports. Throws Invalid. */
export async function dismissReports(ctx: Ctx, decision: Decision, subject: Subject) {
  if (!(await hasOpenReports(ctx, subject))) return;
  await record(ctx, decision, "dismiss", subject);
  await resolveReports(ctx, subject, "none");
}

/** Notes that a moderator looks at a reported tweet that not everyone may see. Throws NotFound without a report. */
export async function lookAtReported(ctx: Ctx, decision: Decision, id: TweetId): Promise<void> {
  const subject: Subject = { kind: "tweet", tweet: id };
  if (!(await hasOpenReports(ctx, subject))) throw new NotFound("report");
  await record(ctx, decision, "look", subject);
}

/** Removes the tweet as if its author had deleted it. Throws NotFound, Invalid. */
export async function removeReported(ctx: Ctx, decision: Decision, id: TweetId): Promise<void> {
  const subject: Subject = { kind: "tweet", tweet: id };
  const tweet = await findTweet(ctx, id);
  if (tweet !== undefined) {
    await record(ctx, decision, "remove", subject);
    await removeTweet(ctx, tweet);
  } else if (
    !(await hasOpenReports(ctx, subject)) &&
    (await findTombstone(ctx, id)) === undefined
  ) {
    throw new NotFound("tweet");
  }
  await resolveReports(ctx, subject, "acted");
}

/** Suspends a user, or the author of a tweet. Throws NotFound, Invalid, Forbidden for a moderator or admin. */
export async function suspendReported(ctx: Ctx, decision: Decision, subject: Subject) {
  const person = await personOf(ctx, subject);
  forbidSuspending(ctx, person);
  const about = personSubject(person.id);
  // Applicants count as suspended before they are.
  if (!person.suspended || person.waiting) await record(ctx, decision, "suspend", about);
  await suspendUser(ctx, person);
  await endAllApps(ctx, person.id);
  await resolveReports(ctx, about, "acted");
  if (subject.kind === "tweet") await resolveReports(ctx, subject, "acted");
}

/**
 * Clears the profile or header picture, the full name (the name replaces it), or all other texts of a
 * user's profile, as if they had done it. Throws NotFound, Invalid.
 */
export async function clearProfilePart(
  ctx: Ctx,
  decision: Decision,
  { id, part }: { id: UserId; part: ProfilePart },
): Promise<void> {
  const subject = personSubject(id);
  const person = await personOf(ctx, subject);
  await record(ctx, decision, part, subject);
  if (part === "picture") await removeAvatar(ctx, id);
  else if (part === "header") await removeHeader(ctx, id);
  else if (part === "fullname") await writeProfile(ctx, person, { fullname: person.name });
  else await writeProfile(ctx, person, Object.fromEntries(factFields.map((name) => [name, ""])));
  await resolveReports(ctx, subject, "acted");
}

/** Reinstates a suspended user. Throws NotFound, Invalid. */
export async function reinstatePerson(ctx: Ctx, decision: Decision, id: UserId): Promise<void> {
  const subject = personSubject(id);
  const person = await personOf(ctx, subject);
  if (person.suspended) await record(ctx, decision, "reinstate", subject);
  await reinstateUser(ctx, person);
}

async function personOf(ctx: Ctx, subject: Subject): Promise<User> {
  const id =
    subject.kind === "person" ? subject.person : (await findTombstone(ctx, subject.tweet))?.author;
  return required(id && (await findUser(ctx, id)), "user");
}

async function record(ctx: Ctx, decision: Decision, verb: Verb, subject: Subject): Promise<void> {
  const note = checkComment(decision.note, "note");
  await recordEntry(ctx, { ...decision, note, verb, subject });
}
