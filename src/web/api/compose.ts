import { z } from "zod";
import { findQuoted } from "../../domain/actions/addressees.ts";
import { postTweet } from "../../domain/actions/post-tweet.ts";
import { saveDraft } from "../../domain/actions/save-draft.ts";
import { Invalid } from "../../domain/errors.ts";
import { getFeedItem } from "../../domain/feeds/thread.ts";
import { picturesAtMost } from "../../domain/pictures/picture.ts";
import { parseUploadId, type TweetId, type UploadId } from "../../domain/ids.ts";
import { readUser } from "../../domain/users/store.ts";
import { quotedIn } from "../site/tweets/form.ts";
import { countVerb } from "../request/limits.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { audienceOfName, visibility } from "./entities/fields.ts";
import type { ApiView } from "./entities/parts.ts";
import { presentStatus, Status } from "./entities/status.ts";
import { flag, openQuotes, text, texts } from "./input.ts";
import { newPollOf, pollInput } from "./polls.ts";
import { presentOne, ScheduledStatus, scheduledTime } from "./scheduled-statuses.ts";
import { getStatus } from "./statuses.ts";

export const mediaIds = texts.refine((ids) => ids.length <= picturesAtMost, {
  params: { problem: "picture.many" },
});

const statusInput = z.object({
  status: text.describe("Up to 280 characters."),
  spoiler_text: text.describe("Content warning, up to 100 characters. It counts within the 280."),
  in_reply_to_id: text,
  visibility: visibility.describe(
    "As the user has set it if it is missing. A reply gets at most that of what it answers.",
  ),
  sensitive: flag.describe(
    "Whether its pictures are behind a cover; without pictures it has no effect.",
  ),
  language: text.describe("A tag such as ja or pt-BR."),
  scheduled_at: text.describe("When to post it: at least five minutes and at most a year ahead."),
  quoted_status_id: text.describe("The status to quote: a link to it stands after the text."),
  quote_id: text.describe("The same."),
  media_ids: mediaIds.describe("Up to four uploads."),
  quote_approval_policy: openQuotes,
  poll: pollInput.describe("Not beside media_ids."),
});

/** What these functions read; an edit has less. */
type StatusInput = Partial<z.output<typeof statusInput>>;

/** Posting through the API. */
export const composeEndpoints: readonly Endpoint[] = [
  endpoint("POST /api/v1/statuses", "Post; the same Idempotency-Key posts only once", {
    access: needs("write:statuses"),
    body: statusInput,
    answer: z.union([Status, ScheduledStatus]),
    counts: "tweet",
    names: { pictures: "media_ids", text: "status", warning: "spoiler_text", when: "scheduled_at" },
    async handle(request) {
      const { ctx, req, res, viewer, body } = request;
      const quoted = await tweetOf(request, body.quoted_status_id || body.quote_id);
      if (quoted && !(await findQuoted(ctx, viewer.id, quoted)))
        throw new Invalid({ quoted_status_id: "quote.closed" });
      const { warning, status } = saidIn(body);
      const linked = withLink(status, quoted && `${request.site}/tweets/${quoted}`);
      const replyTo = await tweetOf(request, body.in_reply_to_id);
      const at = scheduledTime(request, body.scheduled_at);
      // The user may have chosen other defaults while the body arrived.
      const defaults = (await readUser(ctx, viewer.id)) ?? viewer;
      const input = {
        text: linked,
        warning,
        language: body.language,
        replyTo,
        quoteOf: quoted ?? quotedIn(linked, `${request.site}/tweets/`),
        pictures: uploadsOf(body),
        sensitive: body.sensitive,
        poll: newPollOf(body.poll),
        audience: audienceOfName(body.visibility) ?? defaults.audience,
        repliesFrom: defaults.repliesFrom,
      };
      const options = {
        // The same request sent again is the same tweet.
        nonce: req.get("idempotency-key"),
        charge: (points: number) => countVerb(ctx, req, res, "mention", points),
      };
      if (at !== undefined) {
        const draft = await saveDraft(ctx, viewer.id, { ...input, at }, options);
        return await presentOne(request, draft);
      }
      const tweet = await postTweet(ctx, viewer.id, { ...input, ...options });
      const item = await getFeedItem(ctx, viewer, tweet);
      return await presentStatus(request, item);
    },
  }),
];

/** Throws Invalid for what cannot be the id of an upload. */
export function uploadsOf({ media_ids: raw = [] }: StatusInput): UploadId[] {
  return raw.map((one) => {
    const id = parseUploadId(one);
    if (id === undefined) throw new Invalid({ media_ids: "picture.gone" });
    return id;
  });
}

/** A warning alone, with nothing to fold under it, is the text: apps send it so. */
export function saidIn({ status = "", spoiler_text: warning = "", media_ids = [] }: StatusInput) {
  const isAlone = status.trim() === "" && media_ids.length === 0;
  return isAlone ? { status: warning, warning: "" } : { status, warning };
}

/** A quote is a link, in apps as on the site; an app may have written it already. */
function withLink(said: string, link: string | undefined): string {
  if (link === undefined || said.includes(link)) return said;
  return said.trim() === "" ? link : `${said.trim()}\n\n${link}`;
}

/** Of a boost, the original. Throws NotFound if there is no such status, or none for the viewer to see. */
async function tweetOf(view: ApiView, id = ""): Promise<TweetId | undefined> {
  return id === "" ? undefined : (await getStatus(view, id)).tweet.id;
}
