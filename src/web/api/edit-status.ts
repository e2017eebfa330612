import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { beginEdit, editTweet } from "../../domain/actions/edit-tweet.ts";
import { Invalid, NotFound, required } from "../../domain/errors.ts";
import { getFeedItem, historyFor } from "../../domain/feeds/thread.ts";
import { parseUploadId } from "../../domain/ids.ts";
import { describeUpload } from "../../domain/pictures/uploads.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import { findUser, type User } from "../../domain/users/store.ts";
import { quotedIn } from "../site/tweets/form.ts";
import { countVerb } from "../request/limits.ts";
import { mediaIds, saidIn, uploadsOf } from "./compose.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Account, presentAccount } from "./entities/account.ts";
import { MediaAttachment, mediaOf } from "./entities/media.ts";
import {
  constants,
  entity,
  formatDate,
  html,
  id,
  moment,
  typed,
  audienceOfName,
  visibility,
} from "./entities/fields.ts";
import { contentOf, listOf, toJson, withFields } from "./entities/parts.ts";
import { presentStatus, Status } from "./entities/status.ts";
import { statusId } from "./ids.ts";
import { flag, needed, openQuotes, text, toObjects } from "./input.ts";
import { pollInput } from "./polls.ts";
import { noFocus } from "./media.ts";
import { getStatus } from "./statuses.ts";

const editAlways = { poll: null, emojis: [] } as const;

const StatusSource = entity("StatusSource", { id, text: typed, spoiler_text: typed });
const StatusEdit = entity("StatusEdit", {
  content: html,
  spoiler_text: typed,
  created_at: moment.describe("Since when the status was so."),
  account: Account,
  sensitive: z.boolean(),
  media_attachments: z.array(MediaAttachment),
  ...constants(editAlways),
});

/** JSON has a list of objects; forms spell it "media_attributes[][id]" or "media_attributes[0][id]". */
const attributes = z
  .preprocess(
    toObjects,
    z.array(z.object({ id: needed, description: text, focus: noFocus })).max(100),
  )
  .describe("New descriptions of pictures.");

const editInput = z.object({
  status: text.describe("Up to 280 characters."),
  spoiler_text: text.describe("Content warning; none if it is missing."),
  sensitive: flag.describe(
    "Whether its pictures are behind a cover; as before if it is missing. Without pictures it has no effect.",
  ),
  language: text.describe("A tag; as before if it is missing; und takes it away."),
  media_ids: mediaIds.describe(
    "Its pictures in their order, old and new; the others are taken away.",
  ),
  media_attributes: attributes,
  visibility: visibility.describe("As before if it is missing; a wider one is refused."),
  quote_approval_policy: openQuotes,
  poll: pollInput.describe("Its options as they are: others are refused."),
});

const names = {
  pictures: "media_ids",
  text: "status",
  warning: "spoiler_text",
  description: "media_attributes",
};

/** Editing a status, and what it was before. */
export const editEndpoints: readonly Endpoint[] = [
  endpoint("PUT /api/v1/statuses/{id}", "Edit; earlier versions stay in the history", {
    access: needs("write:statuses"),
    body: editInput,
    answer: Status,
    counts: "edit",
    names,
    async handle(request) {
      const { ctx, req, res, viewer, body } = request;
      const { tweet, retweet } = await getStatus(request, request.params.id);
      if (retweet !== undefined || tweet.author !== viewer.id) throw new NotFound("status");
      const { status: said, warning } = saidIn(body);
      const pictures = uploadsOf(body);
      const before = await beginEdit(ctx, viewer.id, tweet.id);
      requireSamePoll(before, body.poll);
      await describe(request);
      await editTweet(ctx, viewer.id, tweet.id, {
        text: said,
        warning,
        language: body.language,
        quoteOf: quotedIn(said, `${request.site}/tweets/`),
        pictures,
        sensitive: body.sensitive,
        audience: audienceOfName(body.visibility),
        charge: (points) => countVerb(ctx, req, res, "mention", points),
      });
      // What was read before the edit may still be in the memory.
      await ctx.memory.settled();
      const item = await getFeedItem(ctx, viewer, tweet.id);
      return await presentStatus(request, item);
    },
  }),
  endpoint("GET /api/v1/statuses/{id}/source", "As it was typed", {
    access: needs("read:statuses"),
    answer: StatusSource,
    async handle(request) {
      const { tweet, retweet } = await getStatus(request, request.params.id);
      const { text: written, warning: spoiler_text = "" } = tweet;
      return { id: statusId(retweet ?? tweet), text: written, spoiler_text };
    },
  }),
  endpoint("GET /api/v1/statuses/{id}/history", "Its versions, the oldest first", {
    access: knows("read:statuses"),
    answer: z.array(StatusEdit),
    async handle(request) {
      const { tweet } = await getStatus(request, request.params.id);
      const author = required(await findUser(request.ctx, tweet.author), "author");
      const account = await presentAccount(request, author);
      const versions = await historyFor(request.ctx, request.viewer, tweet);
      return listOf(
        versions.toReversed().map((version) => {
          const { text: said, warning = "", mentions, createdAt, pictures = [] } = version;
          const fields = toJson({
            content: contentOf(said, mentions, request.site),
            spoiler_text: warning,
            created_at: formatDate(createdAt),
            sensitive: version.sensitive === true || warning !== "",
            media_attachments: mediaOf(request, tweet, author, pictures),
            ...editAlways,
          });
          return withFields(fields, { account });
        }),
      );
    },
  }),
];

/** Votes are for what was asked. Apps send the poll again with each edit. */
function requireSamePoll({ poll }: Tweet, input: z.output<typeof pollInput>): void {
  const isSame = poll !== undefined && isDeepStrictEqual(input?.options, poll.choices);
  if (input !== undefined && !(isSame && (input.multiple ?? false) === (poll.several ?? false)))
    throw new Invalid({ poll: "poll.fixed" });
}

/** Throws Invalid. */
async function describe(request: ApiRequest<User, unknown, z.output<typeof editInput>>) {
  const { ctx, viewer, body } = request;
  for (const { id: raw, description } of body.media_attributes) {
    const upload = parseUploadId(raw);
    if (upload === undefined || !body.media_ids.includes(raw))
      throw new Invalid({ description: "picture.gone" });
    if (description !== undefined)
      await describeUpload(ctx, viewer.id, { upload, description }).catch((error: unknown) => {
        throw error instanceof NotFound ? new Invalid({ pictures: "picture.gone" }) : error;
      });
  }
}
