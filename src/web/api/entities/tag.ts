import { z } from "zod";
import { address } from "./parts.ts";

export const Tag = z
  .strictObject({
    id: z.string().describe("The name."),
    name: z.string(),
    url: address,
    history: z.array(z.strictObject({ day: z.string(), uses: z.string(), accounts: z.string() })),
    following: z.boolean(),
    featuring: z.literal(false),
  })
  .meta({ id: "Tag" });

/**
 * `people` used it in the last 24 hours, told as the day that begins at `day`, in seconds. `following`: whether the
 * viewer follows it.
 */
export function tagEntity(
  site: string,
  name: string,
  { following, used }: { following: boolean; used?: { people: number; day: number } },
): z.output<typeof Tag> {
  const url = `${site}/tags/${encodeURIComponent(name)}`;
  const people = String(used?.people);
  const history = used ? [{ day: String(used.day), accounts: people, uses: people }] : [];
  return { id: name, name, url, history, following, featuring: false };
}
