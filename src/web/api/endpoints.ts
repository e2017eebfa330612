import { accountStatusEndpoints } from "./account-statuses.ts";
import { accountEndpoints } from "./accounts.ts";
import { appEndpoints } from "./apps.ts";
import { composeEndpoints } from "./compose.ts";
import { credentialEndpoints } from "./credentials.ts";
import type { Endpoint, Operation } from "./endpoint.ts";
import { instanceEndpoints } from "./instance.ts";
import { markerEndpoints } from "./markers.ts";
import { notificationEndpoints } from "./notifications.ts";
import { oauthOperations } from "./oauth.ts";
import { documentEndpoint } from "./openapi.ts";
import { reactionEndpoints } from "./reactions.ts";
import { registrationEndpoints } from "./registrations.ts";
import { relationshipEndpoints } from "./relationships.ts";
import { reportEndpoints } from "./reports.ts";
import { searchEndpoints } from "./search.ts";
import { statusEndpoints } from "./statuses.ts";
import { streamingOperations } from "./streaming.ts";
import { suggestionEndpoints } from "./suggestions.ts";
import { timelineEndpoints } from "./timelines.ts";
import { trendEndpoints } from "./trends.ts";
import { unsupportedEndpoints } from "./unsupported.ts";

/** In the order in which they are mounted: the busiest need not pass all the others. */
export const endpoints: readonly Endpoint[] = [
  ...timelineEndpoints,
  ...accountStatusEndpoints,
  ...accountEndpoints,
  ...appEndpoints,
  ...composeEndpoints,
  ...credentialEndpoints,
  ...instanceEndpoints,
  ...markerEndpoints,
  ...notificationEndpoints,
  documentEndpoint(() => operations),
  ...reactionEndpoints,
  ...registrationEndpoints,
  ...relationshipEndpoints,
  ...reportEndpoints,
  ...searchEndpoints,
  ...statusEndpoints,
  ...suggestionEndpoints,
  ...trendEndpoints,
  ...unsupportedEndpoints,
];

/** All that the API offers, including what its own router mounts: OAuth and streams. */
export const operations: readonly Operation[] = [
  ...endpoints,
  ...oauthOperations,
  ...streamingOperations,
];
