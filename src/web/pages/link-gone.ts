import type { Request, Response } from "express";
import { NotFound } from "../../domain/errors.ts";

/** The secret of the link that was opened: the end of its path. */
export function tokenOf({ path }: Request): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** For pages that one-time links lead to: if `work` throws NotFound, says how to get a new link at `again`. */
export async function orLinkGone(
  res: Response,
  again: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const { words } = res.locals;
    const link = { href: again, text: words.t("rescue.newLink") };
    res.setHeader("Cache-Control", "no-store");
    res.status(404).render("accounts/link-gone", {
      title: words.t("rescue.linkGone"),
      canonical: undefined,
      sentence: words.pieces("rescue.linkGoneHint", { link }),
    });
  }
}
