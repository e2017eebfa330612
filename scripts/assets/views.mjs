import * as fs from "node:fs/promises";
import path from "node:path";
import { compileFileClient } from "pug";

/** Folders of what templates include or extend. */
const PARTS = new Set(["layouts", "mixins"]);

/** Makes dist/views anew: each template of a page or of a part that is sent alone, compiled to a function. */
export async function buildViews(root) {
  const folder = path.join(root, "views");
  const target = path.join(root, "dist", "views");
  const fresh = `${target}.new`;
  await fs.rm(fresh, { recursive: true, force: true });
  for (const file of await fs.readdir(folder, { recursive: true })) {
    if (!file.endsWith(".pug") || PARTS.has(file.split(path.sep)[0])) continue;
    const options = { doctype: "html", compileDebug: false, name: "view" };
    const code = compileFileClient(path.join(folder, file), options);
    const compiled = path.join(fresh, file.replace(/\.pug$/, ".cjs"));
    await fs.mkdir(path.dirname(compiled), { recursive: true });
    await fs.writeFile(compiled, `${code}\nmodule.exports = view;\n`);
  }
  await fs.rm(target, { recursive: true, force: true });
  await fs.rename(fresh, target);
}
