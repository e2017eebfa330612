// What `npm run build` makes of public/ and views/: dist/public, in the form in which it is served, and dist/views.
import { fileURLToPath } from "node:url";
import { buildAssets } from "./assets/build.mjs";
import { buildViews } from "./assets/views.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
await buildAssets(root);
await buildViews(root);
