import { z } from "zod";
import { sendPublic } from "../server/send-public.ts";
import { accountEndpoints, followRequestEndpoints } from "./accounts.ts";
import { composeEndpoints } from "./compose.ts";
import { conversationEndpoints } from "./conversations.ts";
import { credentialEndpoints } from "./credentials.ts";
import { editEndpoints } from "./edit-status.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { filterV1Endpoints } from "./filters-v1.ts";
import { filterEndpoints } from "./filters.ts";
import { instanceEndpoints } from "./instance.ts";
import { listEndpoints } from "./lists.ts";
import { markerEndpoints } from "./markers.ts";
import { mediaEndpoints } from "./media.ts";
import { notificationGroupEndpoints } from "./notification-groups.ts";
import { notificationEndpoints } from "./notifications.ts";
import { oauthEndpoints } from "./oauth.ts";
import { openApiDocument } from "./openapi.ts";
import { pollEndpoints } from "./polls.ts";
import { pushEndpoints } from "./push.ts";
import { registrationEndpoints } from "./registrations.ts";
import { relationshipEndpoints } from "./relationships.ts";
import { reportEndpoints } from "./reports.ts";
import { scheduledEndpoints } from "./scheduled-statuses.ts";
import { searchEndpoints } from "./search.ts";
import { statusEndpoints } from "./statuses.ts";
import { streamingEndpoints } from "./streaming.ts";
import { tagEndpoints } from "./tags.ts";
import { timelineEndpoints } from "./timelines.ts";
import {
  notificationPolicyEndpoints,
  refusedEndpoints,
  unsupportedEndpoints,
} from "./unsupported.ts";

const hour = 60 * 60;

/** The whole API, in the order in which it is mounted: the busiest need not pass all the others. */
export const endpoints: readonly Endpoint[] = [
  ...timelineEndpoints,
  ...credentialEndpoints,
  ...relationshipEndpoints,
  // Words before ids in the same place.
  ...unsupportedEndpoints,
  ...accountEndpoints,
  ...composeEndpoints,
  ...conversationEndpoints,
  ...editEndpoints,
  ...filterEndpoints,
  ...filterV1Endpoints,
  ...followRequestEndpoints,
  ...instanceEndpoints,
  ...listEndpoints,
  ...markerEndpoints,
  ...mediaEndpoints,
  ...notificationPolicyEndpoints,
  ...refusedEndpoints,
  ...notificationEndpoints,
  ...notificationGroupEndpoints,
  endpoint("GET /api/openapi.json", "This document", {
    access: "anybody",
    answer: z.looseObject({ openapi: z.string() }),
    handle({ res, site }) {
      const body = JSON.stringify(openApiDocument(endpoints, site));
      sendPublic(res, { type: "application/json", body, seconds: hour });
    },
  }),
  ...pollEndpoints,
  ...pushEndpoints,
  ...registrationEndpoints,
  ...reportEndpoints,
  ...scheduledEndpoints,
  ...searchEndpoints,
  ...statusEndpoints,
  ...tagEndpoints,
  ...oauthEndpoints,
  ...streamingEndpoints,
];
