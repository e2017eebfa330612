import type { Ctx } from "../../../src/context.ts";
import type { UserId } from "../../../src/domain/ids.ts";

/** Names of all files in the storage of pictures, or of those of a user. */
export async function storedFiles({ storage }: Pick<Ctx, "storage">, user?: UserId) {
  const names: string[] = [];
  for await (const { name } of storage?.list() ?? [])
    if (user === undefined || name.startsWith(`${user}-`)) names.push(name);
  return names;
}
