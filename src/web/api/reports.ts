import { z } from "zod";
import { Invalid, NotFound } from "../../domain/errors.ts";
import { type ReportInput, reportPerson, reportTweet } from "../../domain/moderation/report.ts";
import type { Reason } from "../../domain/moderation/store.ts";
import { stampAt } from "../../domain/ids.ts";
import type { User } from "../../domain/users/store.ts";
import { getAccount } from "./account-param.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account, presentAccount } from "./entities/account.ts";
import { presentRules } from "./entities/instance.ts";
import { constants, entity, formatDate, id, moment } from "./entities/fields.ts";
import { toJson, withFields } from "./entities/parts.ts";
import { anything, needed, text, texts } from "./input.ts";
import { findStatus } from "./statuses.ts";

const form = z.object({
  account_id: needed,
  status_ids: texts.describe("By this account; without any, the report is about the account."),
  comment: text,
  category: text.describe("spam, legal, violation or other."),
  rule_ids: texts.describe("Rules of the site; the category is then violation."),
  forward: anything("All accounts are of this site."),
});

/** The outcome of a report is not shown. */
const always = { action_taken: false, action_taken_at: null, forwarded: false } as const;

const Report = entity("Report", {
  id,
  category: z.enum(["spam", "legal", "violation", "other"]),
  comment: z.string(),
  created_at: moment,
  status_ids: z.array(z.string()),
  rule_ids: z.array(z.string()),
  target_account: Account,
  ...constants(always),
});

/** Reasons by the words of apps; any other word is "other". */
const reasons: ReadonlyMap<string | undefined, Reason> = new Map([
  ["spam", "spam"],
  ["legal", "illegal"],
  ["violation", "abuse"],
]);

/** Reporting a user, or tweets of theirs, to the admins. */
export const reportEndpoints: readonly Endpoint[] = [
  endpoint("POST /api/v1/reports", "Report an account or a status to the admins", {
    access: needs("write:reports"),
    body: form,
    answer: Report,
    counts: "report",
    async handle(request) {
      const { ctx, body } = request;
      const { comment = "", status_ids: statuses, rule_ids: rules } = body;
      const reason = reasons.has(body.category) ? body.category : "other";
      const category = rules.length > 0 ? "violation" : reason;
      const person = await getAccount(ctx, body.account_id);
      const ruleIds = new Set(presentRules(request.res.locals.site).map((rule) => rule.id));
      if (rules.some((rule) => !ruleIds.has(rule))) throw new Invalid({ rule_ids: "report.rule" });
      const named = rules.length === 0 ? comment : `§ ${rules.join(", ")}\n${comment}`;
      const about = { reason: reasons.get(category) ?? "other", comment: named };
      await report(request, person, statuses, about);
      const now = stampAt(ctx.now(), person.id);
      const fields = toJson({
        id: String(now),
        category,
        comment,
        created_at: formatDate(now),
        status_ids: statuses,
        rule_ids: rules,
        ...always,
      });
      return withFields(fields, { target_account: await presentAccount(request, person) });
    },
  }),
];

/** Max open reports of a user. */
const maxTweets = 20;

/** One report for each tweet, as admins decide about each; without tweets, of the user. Throws NotFound, Invalid. */
async function report(
  request: ApiRequest<User>,
  person: User,
  statuses: string[],
  about: ReportInput,
): Promise<void> {
  const { ctx, viewer } = request;
  if (statuses.length > maxTweets) throw new Invalid({ status_ids: "report.many" });
  const items = await Promise.all(statuses.map((raw) => findStatus(request, raw)));
  // Checked before anything is reported: all statuses have to be by this user.
  const tweets = items.flatMap((item) => item?.tweet ?? []);
  if (tweets.length < items.length || tweets.some(({ author }) => author !== person.id))
    throw new NotFound("status");
  for (const tweet of tweets) await reportTweet(ctx, viewer, tweet.id, about);
  if (tweets.length === 0) await reportPerson(ctx, viewer, person, about);
}
