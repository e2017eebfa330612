import { watch } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildAssets } from "./assets/build.mjs";

/** `npm run dev`: the site, and dist/public made anew whenever something in public/ changes. */
const root = fileURLToPath(new URL("..", import.meta.url));
let building: Promise<void> | undefined;
let again = false;

function rebuild(): void {
  again = building !== undefined;
  building ??= buildAssets(root)
    .catch((error: unknown) => {
      process.stderr.write(`suzume: ${error instanceof Error ? error.message : String(error)}\n`);
    })
    .finally(() => {
      building = undefined;
      if (again) rebuild();
    });
}

watch(new URL("../public/", import.meta.url), { recursive: true }, rebuild);
await import("../src/start.ts");
