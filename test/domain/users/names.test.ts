import * as fc from "fast-check";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { foldName, isName } from "../../../src/domain/users/store.ts";
import { nameProblem } from "../../../src/domain/users/sign-up.ts";
import { routesOf } from "../../support/world/routes.ts";
import { createWorld } from "../../support/world/world.ts";

describe("a name", () => {
  it.each(["a", "Somebody", "under_score", "_", "2026", "x".repeat(15)])(
    "a name may be %s",
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );

  it.each([
    ["empty", ""],
    ["too long", "x".repeat(16)],
    ["two words", "some body"],
    ["a path", "../etc"],
    ["followed by a line", "somebody\n"],
    ["in another script", "ѕomebody"],
    ["with letters that only fold to a–z", "\u212Aelvin"],
    ["with letters that only fold to a–z", "\u017Fomebody"],
    ["in full width", "ｓomebody"],
    ["with an accent", "café"],
    ["with NUL", "some\0body"],
    ["with something invisible", "some\u200Bbody"],
    ["with a hyphen", "some-body"],
  ])("a name may not be %s", (_, name) => {
    expect(nameProblem(name)).toBe("name.format");
  });

  it("a folded name is one of [a-z0-9_]{1,15}, and nothing else is a name", () => {
    const unit = fc.constantFrom(..."abzABZ019_ -.\0\n\u212A\u017Fß雀");
    const fitting = fc.string({ unit: fc.constantFrom(..."aZ0_"), minLength: 14, maxLength: 17 });
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit, maxLength: 17 }), fitting), (name) => {
        expect(isName(name)).toBe(/^[a-z0-9_]{1,15}$/.test(name.replaceAll(/[A-Z]/g, foldName)));
      }),
    );
  });

  it.each([
    "admin",
    "Administrator",
    "SUPPORT",
    "suzume",
    "root",
    "api",
    "oauth",
    "static",
    "postmaster",
    "abuse",
    "Mod",
    "no_reply",
  ])("a name may not look like the site's own: %s", (name) => {
    expect(nameProblem(name)).toBe("name.reserved");
  });

  it("a name may not be a word of any route, nor of a path beside the routes", async () => {
    const world = await createWorld({}, { workers: false });
    // Paths behind /api do not look like pages of the site.
    const all = routesOf(world.app).map((route) => route.path);
    const paths = all.filter((path) => !path.startsWith("/api/"));
    await world.close();
    const files = await readdir(new URL("../../../public", import.meta.url));
    const words = [...paths.flatMap((path) => path.split("/")), ...files];
    const names = [...new Set(words)].filter(isName);
    expect(names).toEqual(expect.arrayContaining(["settings", "followers", "delete", "css"]));
    for (const name of names) expect([name, nameProblem(name)]).toEqual([name, "name.reserved"]);
  });
});
