import { z } from "zod";
import { vote } from "../../domain/actions/vote.ts";
import { NotFound } from "../../domain/errors.ts";
import { choiceNumber, type NewPoll, readTallies } from "../../domain/tweets/poll.ts";
import { type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import type { ApiView } from "./entities/parts.ts";
import { Poll, pollEntity } from "./entities/poll.ts";
import { count, flag, isNothing, texts } from "./input.ts";
import { getStatus } from "./statuses.ts";

/** A poll as apps ask for it. */
export const pollInput = z.preprocess(
  (value) => (isNothing(value) ? undefined : value),
  z
    .object({ options: texts, expires_in: count, multiple: flag, hide_totals: flag })
    .optional()
    .describe("Two to four options of up to 50 characters; expires_in: 300 to 604800 seconds."),
);

export function newPollOf(input: z.output<typeof pollInput>): NewPoll | undefined {
  if (input === undefined) return undefined;
  const { options, expires_in: seconds = 0, multiple, hide_totals: secret } = input;
  return { choices: options, seconds, several: multiple === true, secret };
}

/** Polls have the ids of their statuses. */
export const pollEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/polls/{id}", "A poll, by the id of its status", {
    access: knows("read:statuses"),
    answer: Poll,
    handle: (request) => presentPoll(request, request.params.id),
  }),
  endpoint("POST /api/v1/polls/{id}/votes", "Vote, once", {
    access: needs("write:statuses"),
    body: z.object({ choices: texts.describe("Numbers of options, from 0.") }),
    answer: Poll,
    counts: "vote",
    async handle(request) {
      const { ctx, viewer, body, params } = request;
      const { tweet } = await getStatus(request, params.id);
      await vote(ctx, viewer.id, tweet.id, body.choices.map(choiceNumber));
      return await presentPoll(request, params.id);
    },
  }),
];

async function presentPoll(view: ApiView, raw: string): Promise<z.output<typeof Poll>> {
  const { tweet } = await getStatus(view, raw);
  if (tweet.poll === undefined) throw new NotFound("poll");
  const tallies = await readTallies(view.ctx, view.viewer, [tweet]);
  return pollEntity(view, tweet, tweet.poll, tallies.get(tweet.id));
}
