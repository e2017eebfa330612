import { spawn } from "node:child_process";
import { once } from "node:events";
import { builtProgram } from "./built-program.ts";

/** A system user without rights, as `node` is in the image. */
export const stranger = { uid: 65_534, gid: 65_534 };

/**
 * Why no process of that user can run the program here, if that is so: only root can start one, and it must be able to
 * read these files.
 */
export async function whyNoStranger(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return "only root can start a process of another user";
  const check = spawn(process.execPath, ["--check", await builtProgram("web")], stranger);
  const readable = await once(check, "close").then(
    ([code]) => code === 0,
    () => false,
  );
  return readable ? undefined : "another system user cannot read these files";
}
