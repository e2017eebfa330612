import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Response } from "supertest";
import { Invalid } from "../../../src/domain/errors.ts";
import { logIn } from "../../../src/domain/users/log-in.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { password } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("logging in", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("Somebody");
  });
  afterAll(() => world.close());

  it("log-in takes the name in any case and the exact password", async () => {
    const { id } = await getUserByName(world.ctx, "somebody");
    expect((await logIn(world.ctx, { name: " sOMEBODY ", password })).user).toBe(id);
    for (const wrong of [password.toUpperCase(), ` ${password}`, `${password}\0`, ""])
      await expect(logIn(world.ctx, { name: "somebody", password: wrong })).rejects.toThrow(
        Invalid,
      );
  });

  it("log-in refuses a wrong name like a wrong password", async () => {
    const problems = { form: "credentials.wrong" };
    for (const name of ["somebody", "nobody", "not a name", "", "__proto__", "\0"])
      await expect(logIn(world.ctx, { name, password: "wrong one" })).rejects.toMatchObject({
        problems,
      });
  });
});

describe("guessing names at log-in", () => {
  let world: World;
  beforeAll(async () => {
    // Half the real cost, which is most of an answer still.
    world = await createWorld({ bcryptCost: 11 }, { workers: false });
    await world.newcomer("taken");
  });
  afterAll(() => world.close());

  // Compressed, the length also depends on where else in the page the letters of the name occur.
  const attempt = (name: string) =>
    world
      .visitor()
      .post("/login", { name, password: "wrong one" })
      .set("Accept-Encoding", "identity");

  it("log-in takes the same time for a wrong name and a wrong password", async () => {
    const times: Record<string, number[]> = { taken: [], wrong: [], "not a name": [] };
    for (let round = 1; round <= 5; round += 1)
      for (const [name, taken] of Object.entries(times)) {
        const began = performance.now();
        await attempt(name).expect(422);
        taken.push(performance.now() - began);
      }
    const known = least(times["taken"]);
    for (const unknown of [least(times["wrong"]), least(times["not a name"])]) {
      expect(unknown / known).toBeGreaterThan(0.5);
      expect(unknown / known).toBeLessThan(2);
    }
  });

  it("log-in gives the same answer for a wrong name and a wrong password", async () => {
    const [known, unknown] = [await attempt("taken"), await attempt("wrong")];
    expect(unknown.text.replaceAll("wrong", "taken")).toBe(known.text);
    expect(unknown.status).toBe(known.status);
    expect(headersOf(unknown)).toEqual(headersOf(known));
  });
});

/** Other load only adds time. */
function least(times: number[] = []): number {
  return Math.min(...times);
}

/** But those that differ from any answer to the next. */
function headersOf(answer: Response) {
  const { date: _date, etag: _etag, ...headers } = answer.headers as Record<string, unknown>;
  return headers;
}
