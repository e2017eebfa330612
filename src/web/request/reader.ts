import type { Response } from "express";
import { Unauthenticated } from "../../domain/errors.ts";
import type { User } from "../../domain/users/store.ts";
import type { Reader, SignedInReader } from "../languages/translator.ts";
import { readCursor } from "../layout/form.ts";

/** The signed-in user, if any. */
export function viewerOf(res: Response): User | undefined {
  return res.locals.user;
}

/** The signed-in user; throws Unauthenticated, which leads to the log-in page. */
export function requireViewer(res: Response): User {
  const viewer = viewerOf(res);
  if (viewer === undefined) throw new Unauthenticated("signed out");
  return viewer;
}

/** Reader of this answer; the cursor of its list is `?before=STAMP`. */
export function readerOf(res: Response): Reader {
  const before = readCursor(res.req.query["before"]);
  return { viewer: viewerOf(res), words: res.locals.words, before };
}

/** Reader, who must be signed in; throws Unauthenticated. */
export function requireReader(res: Response): SignedInReader {
  return { ...readerOf(res), viewer: requireViewer(res) };
}
