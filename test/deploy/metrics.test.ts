import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queries } from "../support/inspect/deploy-files.ts";
import { parseQuery } from "../support/inspect/promql.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { createWorld, type World } from "../support/world/world.ts";

/** Prometheus' own, about what it scrapes. */
const ofPrometheus = new Set(["up"]);
const everywhere = new Set(["job", "instance", "process", "le"]);

describe("the metrics of the dashboard and the alerts", () => {
  let world: World;
  /** Metric → labels of its series, as far as there are some. */
  const printed = new Map<string, Set<string>>();
  beforeAll(async () => {
    world = await createWorld();
    const visitor = new Visitor(world.app);
    await visitor.signUp("wren");
    await visitor.get("/search?q=wren").expect(200);
    const { text } = await request(world.app).get("/metrics").expect(200);
    for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const endings = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      for (const ending of endings) printed.set(name + ending, new Set());
    }
    for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)\{(.*)\} /gm))
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) printed.get(name)?.add(label);
  });
  afterAll(() => world.close());

  it.each(queries())("$where asks for metrics and labels that there are: $query", ({ query }) => {
    const { selectors, grouping } = parseQuery(query);
    for (const { metric, labels } of selectors) {
      if (ofPrometheus.has(metric)) continue;
      const known = printed.get(metric);
      expect([metric, known !== undefined]).toEqual([metric, true]);
      if (known === undefined || known.size === 0) continue;
      for (const label of [...labels, ...grouping].filter((one) => !everywhere.has(one)))
        expect([metric, label, known.has(label)]).toEqual([metric, label, true]);
    }
  });
});
