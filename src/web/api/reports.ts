import type { Request } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import type { Reason } from "../../domain/moderation/store.ts";
import { type ReportInput, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import { stampAt } from "../../domain/stamp.ts";
import type { User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, needs, one } from "./endpoint.ts";
import { presentAccount, formatDate } from "./entities/account.ts";
import { text, texts } from "./input.ts";
import { personBy } from "./account-param.ts";
import { sendJson } from "./send.ts";
import { findStatus } from "./statuses.ts";

const form = z.object({
  account_id: z.string(),
  status_ids: texts.describe("Of that person; without any, it is about them."),
  comment: text,
  category: text.describe("spam, legal, violation or other."),
});

type ReportForm = z.output<typeof form>;

/** Reasons by the words of apps; any other word is "other". */
const reasons: ReadonlyMap<string, Reason> = new Map([
  ["spam", "spam"],
  ["legal", "illegal"],
  ["violation", "abuse"],
]);

/** Telling the admins of a user, or of what they wrote. */
export const reportEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "post",
    path: "/api/v1/reports",
    summary: "Report an account or a status to the admins",
    access: needs("write:reports"),
    body: form,
    answer: one("Report"),
    before: (ctx) => [limitAct(ctx, "reports")],
    async handle({ ctx, req, res, viewer, body }) {
      const person = await personBy(ctx, body.account_id);
      const { category = "other", comment = "" } = body;
      const about = { reason: reasons.get(category) ?? "other", comment };
      await report(ctx, viewer, person, body.status_ids, about);
      sendJson(res, await reportEntity(ctx, req, person, { ...body, category, comment }));
    },
  }),
];

/** One report for each tweet, as admins decide about each; without tweets, of the user. Throws NotFound, Invalid. */
async function report(
  ctx: Ctx,
  viewer: User,
  person: User,
  statuses: string[],
  about: ReportInput,
): Promise<void> {
  if (statuses.length > mostTweets) throw new Invalid({ status_ids: "report.many" });
  const found = await Promise.all(statuses.map((id) => findStatus(ctx, viewer, id)));
  // Checked before anything is reported: all statuses have to be by this user.
  const tweets = found.flatMap((item) => item?.tweet ?? []);
  if (tweets.length < found.length || tweets.some(({ author }) => author !== person.id))
    throw new NotFound("status");
  for (const { id } of tweets) await reportTweet(ctx, viewer, id, about);
  if (tweets.length === 0) await reportPerson(ctx, viewer, person, about);
}

/** Max open reports of a user. */
const mostTweets = 20;

/** The JSON of Mastodon's Report; its outcome is not shown. */
async function reportEntity(
  ctx: Ctx,
  req: Request,
  person: User,
  { status_ids: statuses, category, comment }: ReportForm,
): Promise<string> {
  const now = stampAt(ctx.now(), person.id);
  const entity = {
    id: String(now),
    action_taken: false,
    action_taken_at: null,
    category,
    comment,
    forwarded: false,
    created_at: formatDate(now),
    status_ids: statuses,
    rule_ids: [],
  };
  const account = await presentAccount(ctx, siteOrigin(ctx, req), person);
  return `${JSON.stringify(entity).slice(0, -1)},"target_account":${account}}`;
}
