import { z } from "zod";

/**
 * What answers hold, as Mastodon 4.2 documents it. A field that Suzume has nothing for is there and
 * empty; `none` is a list that is always empty.
 */
export const none = z.array(z.never()).max(0);
export const id = z.string().regex(/^\d+$/).describe("A number that sorts by time.");
export const moment = z.string().meta({ format: "date-time" });
export const address = z.string().meta({ format: "uri" });
export const count = z.int().min(0);
