import * as people from "./entities/people.ts";
import * as site from "./entities/site.ts";
import * as statuses from "./entities/statuses.ts";

/** What answers hold, by the names under which the document has them. */
export const entities = { ...people, ...statuses, ...site };

export type EntityName = keyof typeof entities;
