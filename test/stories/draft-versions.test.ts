import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localTime } from "../../src/domain/users/time-zone.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { alertsOn, typedFields } from "../support/inspect/page.ts";
import { createWorld, type World } from "../support/world/world.ts";

const hour = 60 * 60 * 1000;

async function formOf(author: Visitor, path: string) {
  return typedFields((await author.get(path).expect(200)).text, path);
}

describe("a draft that is open in two tabs", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const soon = (ahead = hour) => localTime(world.ctx.now() + ahead, "UTC");

  /** A new draft: its author, its path, and what its page would send. */
  async function open(name: string) {
    const author = await world.newcomer(name);
    const { headers } = await author.post("/drafts", { text: "first" }).expect(303);
    const path = String(headers["location"]).replace("?saved", "");
    return { author, path, form: await formOf(author, path) };
  }

  it("an older page does not replace a newer draft, and keeps what was typed", async () => {
    const { author, path, form } = await open("ann");
    await author.post(path, { ...form, text: "newer" }).expect(303);
    const typed = { text: "older page", warning: "spiders" };
    for (const verb of ["save", "send", "schedule"]) {
      const sent = { ...form, ...typed, do: verb, when: soon() };
      const { text: page } = await author.post(path, sent).expect(422);
      expect(alertsOn(page)).toContainEqual(expect.stringContaining("saved elsewhere meanwhile"));
      expect(typedFields(page, path)["text"]).toBe("older page");
      expect(page).toContain("spiders");
      expect((await formOf(author, path))["text"]).toBe("newer");
    }
    const { text: page } = await author.post(path, { ...form, ...typed }).expect(422);
    await author.post(path, { ...typedFields(page, path), ...typed }).expect(303);
    expect((await formOf(author, path))["text"]).toBe("older page");
  });

  it.each<{ what: string; name: string; typed: Record<string, string> }>([
    { what: "a warning", name: "bea", typed: { warning: "spiders", audience: "followers" } },
    {
      what: "a poll",
      name: "cid",
      typed: { choice_1: "yes", choice_2: "no", poll_seconds: "3600" },
    },
    { what: "a time", name: "dan", typed: { do: "schedule" } },
  ])("the same form of a draft with $what may be sent twice", async ({ name, typed }) => {
    const { author, path, form } = await open(name);
    const sent = { ...form, text: "once more", when: "do" in typed ? soon() : "", ...typed };
    await author.post(path, sent).expect(303);
    await author.post(path, sent).expect(303);
    expect((await formOf(author, path))["text"]).toBe("once more");
  });

  it("a time that an app has chosen is not undone by an older page", async () => {
    const { author, path, form } = await open("eve");
    await author.post(path, { ...form, when: soon(), do: "schedule" }).expect(303);
    const older = { ...(await formOf(author, path)), when: soon(), do: "schedule" };
    const app = await ApiClient.of(world, "eve");
    const scheduled_at = new Date(world.ctx.now() + 5 * hour).toISOString();
    const status = `/api/v1/scheduled_statuses/${path.split("/").at(-1)}`;
    await app.send("put", status).send({ scheduled_at }).expect(200);
    await author.post(path, older).expect(422);
    expect((await app.get(status).expect(200)).body).toMatchObject({ scheduled_at });
  });
});
