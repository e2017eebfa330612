// What `npm run build` makes of public/: dist/public, in the form in which it is served.
import { fileURLToPath } from "node:url";
import { buildAssets } from "./assets/build.mjs";

await buildAssets(fileURLToPath(new URL("..", import.meta.url)));
