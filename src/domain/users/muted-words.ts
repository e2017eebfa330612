import type { Ctx } from "../../context.ts";
import type { Viewer } from "./relations.ts";

/** Whether a text holds a word that the viewer has muted. */
export async function mutedWordsOf(_ctx: Ctx, _viewer: Viewer): Promise<(text: string) => boolean> {
  return () => false;
}
