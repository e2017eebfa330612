import request, { type Test } from "supertest";
import { userId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { type Grant, provisionalGrants } from "../../src/web/api/bearer.ts";
import type { World } from "./world.ts";

let made = 0;

/** An app that somebody uses; or that nobody has signed in to, without a name. */
export class ApiVisitor {
  readonly #world: World;
  readonly #token: string | undefined;

  constructor(world: World, token?: string) {
    this.#world = world;
    this.#token = token;
  }

  static async of(
    world: World,
    name: string,
    scopes = ["read", "write", "follow"],
  ): Promise<ApiVisitor> {
    const { id } = await getUserByName(world.ctx, name);
    const token = `token-${(made += 1)}`;
    const grant: Grant = { user: userId(id), scopes };
    provisionalGrants.set(token, grant);
    return new ApiVisitor(world, token);
  }

  get(path: string): Test {
    return this.#signed(request(this.#world.app).get(path));
  }

  post(path: string, fields: object = {}): Test {
    return this.#signed(request(this.#world.app).post(path)).send(fields);
  }

  delete(path: string): Test {
    return this.#signed(request(this.#world.app).delete(path));
  }

  #signed(test: Test): Test {
    return this.#token === undefined ? test : test.set("Authorization", `Bearer ${this.#token}`);
  }
}
