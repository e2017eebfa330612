import type { Operation } from "./operation.ts";
import { accountOperations } from "./operations/accounts.ts";
import { appOperations } from "./operations/apps.ts";
import { instanceOperations } from "./operations/instance.ts";
import { listOperations } from "./operations/lists.ts";
import { notificationOperations } from "./operations/notifications.ts";
import { nothingOperations } from "./operations/unsupported.ts";
import { statusOperations } from "./operations/statuses.ts";
import { streamingOperations } from "./operations/streaming.ts";

/** All doors of the API; a test holds them and the routes together. */
export const operations: readonly Operation[] = [
  ...appOperations,
  ...instanceOperations,
  ...accountOperations,
  ...statusOperations,
  ...listOperations,
  ...notificationOperations,
  ...streamingOperations,
  ...nothingOperations,
];
