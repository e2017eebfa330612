import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type Pug from "pug";
import type { Config } from "../../config.ts";

/** Gives the HTML for the values that the template uses. */
type View = (values: object) => string;

type Done = (error: unknown, html?: string) => void;

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Folder of the templates. */
export const viewFolder = join(root, "views");

/**
 * A template of views/ by its path there, as "tweets/item". `npm run build` compiled it; with `reloadViews`
 * (npm run dev) it is compiled now, so that changes of the file show.
 */
export function viewOf({ reloadViews }: Pick<Config, "reloadViews">, name: string): View {
  if (!reloadViews) return require(join(root, "dist", "views", `${name}.cjs`)) as View;
  // Only here: the compiler takes a tenth of a second to load.
  const { compileFile } = require("pug") as typeof Pug;
  return compileFile(join(viewFolder, `${name}.pug`), { doctype: "html" });
}

/** The engine that Express renders templates with. */
export function viewEngine(config: Config) {
  return (file: string, values: object, done: Done): void => {
    const name = relative(viewFolder, file).slice(0, -".pug".length);
    let html: string;
    try {
      html = viewOf(config, name)(values);
    } catch (error) {
      done(error);
      return;
    }
    done(null, html);
  };
}
