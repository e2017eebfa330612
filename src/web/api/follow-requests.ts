import { z } from "zod";
import { acceptRequest, endRequest } from "../../domain/actions/follow-request.ts";
import { followRequestsPage } from "../../domain/graph/follow-requests.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account } from "./entities/account.ts";
import { accountPaging, accountsPage } from "./paging.ts";
import { relate } from "./relationships.ts";

/** Accounts that ask to follow the user, who is protected. */
export const followRequestEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/follow_requests", "Accounts that ask to follow the user", {
    access: needs("read:follows"),
    query: accountPaging,
    answer: z.array(Account),
    handle: (request) =>
      accountsPage(request, (view) =>
        readPeople(request.ctx, view, (range) =>
          followRequestsPage(request.ctx, request.viewer.id, range),
        ),
      ),
  }),
  relate("authorize", "Accept a request to follow", "write:follows", {
    list: "follow_requests",
    counts: "follow",
    run: (ctx, followee, follower) => acceptRequest(ctx, { follower, followee }),
  }),
  relate("reject", "Decline a request to follow", "write:follows", {
    list: "follow_requests",
    run: (ctx, followee, follower) => endRequest(ctx, { follower, followee }),
  }),
];
