import * as fc from "fast-check";
import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSite } from "../../src/domain/site/settings.ts";
import { refusedEndpoints } from "../../src/web/api/unsupported.ts";
import { type Door, doors, harmless } from "../support/models/creating-doors.ts";
import { Scene } from "../support/models/creating-scene.ts";
import { runs } from "../support/models/property-runs.ts";
import { routesOf } from "../support/world/routes.ts";
import { createWorld, type World } from "../support/world/world.ts";

const refused = new Set(
  refusedEndpoints.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  ),
);

/** What a client learns of the thing that was made. */
function answerOf({ status, headers, text, body }: Response): string {
  const [link = ""] = /signup\?invitation=[\w.-]+/.exec(text) ?? [];
  const { id = "" } = body as { id?: string };
  return [status, headers["location"] ?? "", link, id].join(" ");
}

const isRefused = ({ status }: Response) => status === 422;

function outcomeOf({ changed }: Door, field: string): "another" | "refused" | "replaced" {
  return typeof changed === "string" ? changed : (changed[field] ?? "another");
}

describe("a form that is sent twice", () => {
  let world: World;
  beforeAll(async () => {
    // A test asks from another port each time, and a quote is a link to the site.
    world = await createWorld({ baseUrl: "http://site.test" });
    await writeSite(world.ctx, { membersInvite: true });
  });
  afterAll(() => world.close());

  it("every form that changes something either makes a thing once or may run twice", () => {
    const routes = routesOf(world.app)
      .filter(({ method }) => /^(post|put|patch)$/.test(method))
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(Object.keys(doors).filter((route) => !routes.includes(route))).toEqual([]);
    const patterns = harmless.flatMap(([, ...some]) => some);
    const others = routes.filter((route) => !(route in doors) && !refused.has(route));
    expect(others.filter((route) => !patterns.some((one) => one.test(route)))).toEqual([]);
    const unused = patterns.filter((one) => !others.some((route) => one.test(route)));
    expect(unused).toEqual([]);
  });

  it.each(Object.entries(doors))(
    "%s makes one thing of the same form, in turn and at once, and says what a changed field means",
    { timeout: 600_000 },
    async (route, door) => {
      const fields = fc.record(door.fields);
      const field = fc.constantFrom(undefined, ...Object.keys(door.fields));
      const property = fc.asyncProperty(
        fields,
        fields,
        field,
        fc.boolean(),
        fc.uuid(),
        async (form, other, changed, atOnce, nonce) => {
          if (changed !== undefined) fc.pre(form[changed] !== other[changed]);
          const second =
            changed === undefined ? form : { ...form, [changed]: other[changed] ?? "" };
          const scene = await Scene.begin(world);
          const before = await door.count(scene);
          const send = async (values: Record<string, string>) =>
            await scene.send(route, door, values, nonce);
          const answers = atOnce
            ? await Promise.all([send(form), send(second)])
            : [await send(form), await send(second)];
          const made = (await door.count(scene)) - before;
          const outcome = changed === undefined ? (door.again ?? "same") : outcomeOf(door, changed);
          const said = answers.map(answerOf);
          const about = { route, changed, atOnce, said };
          expect({ ...about, made }).toEqual({ ...about, made: outcome === "another" ? 2 : 1 });
          const refusals = answers.filter(isRefused).length;
          expect({ ...about, refusals }).toEqual({
            ...about,
            refusals: outcome === "refused" ? 1 : 0,
          });
          expect(answers.every((one) => one.status < 400 || isRefused(one))).toBe(true);
          const isRepeat = outcome === "same" && door.changed !== "replaced";
          expect(said[1]).toBe(isRepeat ? said[0] : said[1]);
        },
      );
      await fc.assert(property, runs(5));
    },
  );
});
