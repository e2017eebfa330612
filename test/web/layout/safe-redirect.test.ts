import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safePath } from "../../../src/web/layout/form.ts";
import { createWorld } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const site = "https://site.example";

describe("redirect paths", () => {
  it.each(["/", "/explore", "/@name?before=1#tweet-2", "/settings/account?saved", "/search?q=//x"])(
    "a redirect path may be %s",
    (path) => {
      expect(safePath(path)).toBe(path);
    },
  );

  it.each([
    ["another site", "https://evil.example/"],
    ["another scheme", "javascript:alert(1)"],
    ["a host", "//evil.example"],
    ["a host for browsers", "/\\evil.example"],
    ["a host after a backslash", "\\\\evil.example"],
    ["a host in disguise", "/\t/evil.example"],
    ["a host after a line break", "/\n/evil.example"],
    ["a host after dots", "/.//evil.example"],
    ["a host after a way up", "/a/..//evil.example"],
    ["a host after encoded dots", "/%2e//evil.example"],
    ["a scheme without slashes", "https:evil.example"],
    ["a header of its own", "/\r\nSet-Cookie: a=b"],
    ["NUL", "/\0"],
    ["a relative path", "explore"],
    ["nothing", ""],
    ["nothing at all", undefined],
  ])("a redirect path is the front page instead of %s", (_, raw) => {
    expect(safePath(raw)).toBe("/");
  });

  const part = fc.constantFrom(
    ..."/\\.:@?#%\t\r\n\0 ",
    "%2e",
    "..",
    ".//",
    "https:",
    "evil.example",
    "雀",
  );
  const hostile = fc.array(part, { maxLength: 12 }).map((parts) => `/${parts.join("")}`);

  it("a redirect path never leaves the site, for any input", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl(), hostile), (raw) => {
        const path = safePath(raw);
        expect(path).toMatch(/^\/(?![/\\])[\u0021-\u007E]*$/);
        expect(new URL(path, site).origin).toBe(site);
        expect(safePath(path)).toBe(path);
      }),
      runs(2000),
    );
  });

  it("every form with a redirect path leads there", async () => {
    const world = await createWorld({}, { workers: false });
    const person = await world.newcomer("mover");
    await world.newcomer("star");
    for (const next of ["//evil.example", "https://evil.example", "/\\evil.example", "/\t/e"]) {
      const fields = { name: "mover", password: "correct horse 42", next };
      const answers = [
        await world.visitor().post("/login", fields),
        await person.post("/login", fields),
        await person.post("/@star/follow", { next }),
        await person.post("/@star/unfollow", { next }),
        await person.get(`/login?next=${encodeURIComponent(next)}`),
      ];
      for (const { status, headers } of answers) {
        expect(status).toBe(303);
        expect(headers["location"]).toBe("/");
      }
    }
    await world.close();
  });
});
