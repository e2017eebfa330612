import { type Request, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { Invalid, NotFound } from "../../domain/errors.ts";
import type { Reason } from "../../domain/moderation/store.ts";
import { type ReportInput, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import { stampAt } from "../../domain/stamp.ts";
import type { User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { requireScope } from "./bearer.ts";
import { presentAccount, formatDate } from "./entities/account.ts";
import { readInput, text, texts } from "./input.ts";
import { personBy } from "./account-param.ts";
import { sendJson } from "./send.ts";
import { findStatus } from "./statuses.ts";

const form = z.object({ account_id: z.string(), status_ids: texts, comment: text, category: text });

type ReportForm = z.output<typeof form>;

/** What apps call reasons; whatever else they say is another one. */
const reasons: ReadonlyMap<string, Reason> = new Map([
  ["spam", "spam"],
  ["legal", "illegal"],
  ["violation", "abuse"],
]);

/** Telling the admins of somebody, or of what they wrote. */
export function reportsApi(ctx: Ctx): Router {
  const router = Router();
  router.post("/api/v1/reports", limitAct(ctx, "reports"), async (req, res) => {
    const viewer = requireScope(res, "write:reports");
    const input = readInput(form, req.body);
    const person = await personBy(ctx, input.account_id);
    const { category = "other", comment = "" } = input;
    const about = { reason: reasons.get(category) ?? "other", comment };
    await report(ctx, viewer, person, input.status_ids, about);
    sendJson(res, await reportEntity(ctx, req, person, { ...input, category, comment }));
  });
  return router;
}

/** Each tweet by itself, as admins decide about each; without any, the person. Throws NotFound, Invalid. */
async function report(
  ctx: Ctx,
  viewer: User,
  person: User,
  statuses: string[],
  about: ReportInput,
): Promise<void> {
  if (statuses.length > mostTweets) throw new Invalid({ status_ids: "report.many" });
  const found = await Promise.all(statuses.map((id) => findStatus(ctx, viewer, id)));
  // Before anything is told: what somebody else wrote is no part of it.
  const tweets = found.flatMap((item) => item?.tweet ?? []);
  if (tweets.length < found.length || tweets.some(({ author }) => author !== person.id))
    throw new NotFound("status");
  for (const { id } of tweets) await reportTweet(ctx, viewer, id, about);
  if (tweets.length === 0) await reportPerson(ctx, viewer, person, about);
}

/** As many as somebody may have open. */
const mostTweets = 20;

/** The JSON of Mastodon's Report; nobody is told what becomes of it. */
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
