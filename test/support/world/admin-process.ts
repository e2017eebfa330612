import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { builtProgram } from "./built-program.ts";
import { testAddress } from "./test-redis.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** `npm run admin -- …` as a process of its own, on the Redis of this worker unless `settings` say otherwise. */
export async function runAdmin(
  parameters: string[],
  settings: Record<string, string> = {},
): Promise<{ code: number | null; output: string; errors: string }> {
  const address = testAddress();
  const url = "urls" in address ? address.urls.join(",") : address.socket;
  const child = spawn(process.execPath, [await builtProgram("admin"), ...parameters], {
    cwd: root,
    env: { PATH: process.env["PATH"], REDIS_URL: url, ...settings },
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output, errors };
}
