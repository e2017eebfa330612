import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Takes the folder of pictures away, as a disk that fails or is not mounted. Mode bits would not stop root. "file": a
 * file is in its place, so that every call fails. Resolves to what brings it back.
 */
export async function takeFolderAway(
  dataDir: string,
  how: "missing" | "file",
): Promise<() => Promise<void>> {
  const folder = join(dataDir, "pictures");
  await rename(folder, `${folder}-away`);
  if (how === "file") await writeFile(folder, "");
  return async () => {
    await rm(folder, { recursive: true, force: true });
    await rename(`${folder}-away`, folder);
  };
}
