import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { notificationKinds } from "../../src/domain/notifications/store.ts";

describe("icons drawn by the stylesheets", () => {
  it("each kind of notification has one, as a kind without is drawn as a filled square", async () => {
    const files = ["public/css/glyphs.css", "public/css/notifications.css"];
    const styles = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const rules = [...styles.join("").matchAll(/([^{};]*)\{\s*--glyph:/g)];
    const selectors = rules.map(([, selector = ""]) => selector).join("");
    const isDrawn = (kind: string) => new RegExp(`\\.${kind}\\b`).test(selectors);
    expect(notificationKinds.filter((kind) => !isDrawn(kind))).toEqual([]);
  });
});
