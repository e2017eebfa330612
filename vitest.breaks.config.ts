import { defineConfig } from "vitest/config";
import { breaks, broken } from "./test/privacy/breaks.ts";
import { onRedis } from "./vitest.config.ts";

/** What BREAK names is taken out of the source while it is loaded; the files stay as they are. */
const name = process.env["BREAK"] ?? "";
const taken = breaks.find((one) => one.name === name);
if (name !== "" && taken === undefined) throw new Error(`no break "${name}"`);

/** `npm run test:breaks` runs these once for each break, and wants them to fail. */
export default defineConfig({
  plugins: [
    {
      name: "break",
      enforce: "pre",
      transform: (code, id) =>
        taken !== undefined && id.split("?")[0]?.endsWith(`/src/${taken.file}`) === true
          ? broken(code, taken)
          : undefined,
    },
  ],
  test: { ...onRedis, include: ["test/privacy/*.test.ts"] },
});
