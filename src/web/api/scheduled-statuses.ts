import { z } from "zod";
import { deleteDraft, rescheduleDraft } from "../../domain/actions/save-draft.ts";
import { Invalid, NotFound, required } from "../../domain/errors.ts";
import { cutPage, cutPageUp } from "../../domain/page.ts";
import {
  getDraft,
  isScheduled,
  listDrafts,
  type NamedDraft,
} from "../../domain/tweets/saved-drafts.ts";
import type { NewPoll } from "../../domain/tweets/poll.ts";
import { readTweets } from "../../domain/tweets/store.ts";
import type { User } from "../../domain/users/store.ts";
import { signedPictureUrl } from "../layout/pictures.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { MediaAttachment, mediaEntity } from "./entities/media.ts";
import { constants, entity, moment, Visibility, visibilityOf } from "./entities/fields.ts";
import type { ApiView } from "./entities/parts.ts";
import { statusId } from "./ids.ts";
import { text } from "./input.ts";
import { accountPaging, linkHeader, pagingOf } from "./paging.ts";

/** Milliseconds ahead, as in Mastodon. */
const soonest = 5 * 60 * 1000;

const always = {
  scheduled_at: null,
  idempotency: null,
  application_id: null,
  with_rate_limit: false,
} as const;

export const ScheduledStatus = entity("ScheduledStatus", {
  id: z.string().regex(/^\d+$/),
  scheduled_at: moment,
  params: z.strictObject({
    text: z.string(),
    spoiler_text: z.string(),
    visibility: Visibility,
    language: z.string().nullable(),
    sensitive: z.boolean(),
    in_reply_to_id: z.string().nullable(),
    media_ids: z.array(z.string()).nullable(),
    poll: z
      .strictObject({
        options: z.array(z.string()),
        expires_in: z.int(),
        multiple: z.boolean(),
        hide_totals: z.boolean(),
      })
      .nullable(),
    ...constants(always),
  }),
  media_attachments: z.array(MediaAttachment),
});

const ofUser = scoped("read:statuses", "write:statuses");
const ofDraft = scoped("read:statuses", "write:statuses", getScheduled);

/** Statuses that will be posted. They are drafts of the site with a time. */
export const scheduledEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/scheduled_statuses", "Statuses that will be posted, the last first", {
    query: accountPaging,
    answer: z.array(ScheduledStatus),
    async handle(request) {
      const { limit, before = Infinity, after = 0, from = 0 } = pagingOf(request.query);
      const least = Math.max(after, from);
      const drafts = await scheduledOf(request);
      const beyond = drafts.filter(({ stamp }) => stamp < before && stamp > least);
      const page = from > 0 ? cutPageUp(beyond, limit) : cutPage(beyond.toReversed(), limit);
      linkHeader(request, page);
      return await presentScheduled(request, page.items);
    },
  }),
  ofDraft("GET /api/v1/scheduled_statuses/{id}", "One of them", {
    answer: ScheduledStatus,
    handle: (request, draft) => presentOne(request, draft),
  }),
  ofDraft("PUT /api/v1/scheduled_statuses/{id}", "Change when it is posted", {
    body: z.object({
      scheduled_at: text.describe("At least five minutes and at most a year ahead."),
    }),
    answer: ScheduledStatus,
    counts: "edit",
    names: { when: "scheduled_at" },
    async handle(request, { id }) {
      const { ctx, viewer, body } = request;
      const at = scheduledTime(request, body.scheduled_at);
      if (at === undefined) throw new Invalid({ scheduled_at: "field.missing" });
      return await presentOne(request, await rescheduleDraft(ctx, viewer.id, id, at));
    },
  }),
  ofDraft("DELETE /api/v1/scheduled_statuses/{id}", "Do not post it, and delete it", {
    handle: ({ ctx, viewer }, { id }) => deleteDraft(ctx, viewer.id, id),
  }),
];

/** Milliseconds; undefined if the app gives no time. Throws Invalid. */
export function scheduledTime({ ctx }: ApiView, raw = ""): number | undefined {
  if (raw === "") return undefined;
  const at = Date.parse(raw);
  if (Number.isNaN(at) || !startsWithDay(raw)) throw new Invalid({ when: "time.format" });
  if (at < ctx.now() + soonest) throw new Invalid({ when: "time.soon" });
  return at;
}

/** False for a day that no month has, such as February 30: it would be read as one of the next month. */
function startsWithDay(raw: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(raw) ?? [];
  const midnight = Date.parse(day ?? "");
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day;
}

/** A status that will be posted. Throws NotFound for a draft that will not. */
export async function presentOne(view: ApiView, draft: NamedDraft) {
  const [status] = await presentScheduled(view, [draft].filter(isScheduled));
  return required(status, "draft");
}

/** Those that will be posted, the next first. */
async function scheduledOf({ ctx, viewer }: ApiRequest<User>) {
  const drafts = await listDrafts(ctx, viewer.id);
  return drafts.filter(isScheduled).map((draft) => ({ ...draft, stamp: draft.at * 1000 }));
}

async function getScheduled({ ctx, viewer, params }: ApiRequest<User>) {
  const draft = await getDraft(ctx, viewer.id, params.id);
  if (!isScheduled(draft)) throw new NotFound("scheduled status");
  return draft;
}

function scheduledPoll({ choices, seconds, several = false, secret = false }: NewPoll) {
  return { options: [...choices], expires_in: seconds, multiple: several, hide_totals: secret };
}

async function presentScheduled({ ctx, site, viewer }: ApiView, drafts: readonly NamedDraft[]) {
  const ids = drafts.flatMap(({ replyTo }) => replyTo ?? []);
  const answered = new Map((await readTweets(ctx, ids)).map((tweet) => [tweet?.id, tweet]));
  return drafts.map(({ id, at = 0, ...draft }) => {
    const parent = draft.replyTo && answered.get(draft.replyTo);
    return {
      id,
      scheduled_at: new Date(at).toISOString(),
      params: {
        text: draft.text,
        spoiler_text: draft.warning ?? "",
        visibility: visibilityOf(draft.audience ?? "public"),
        language: draft.language ?? null,
        sensitive: draft.sensitive === true,
        in_reply_to_id: parent ? statusId(parent) : null,
        poll: draft.poll ? scheduledPoll(draft.poll) : null,
        media_ids: draft.pictures.length === 0 ? null : draft.pictures.map((one) => one.id),
        ...always,
      },
      media_attachments: draft.pictures.map((picture) =>
        mediaEntity(site, picture, viewer && signedPictureUrl(ctx, viewer)),
      ),
    } satisfies z.output<typeof ScheduledStatus>;
  });
}
