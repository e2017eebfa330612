import request, { type Test } from "supertest";
import { grantToApp } from "../../../src/domain/apps/redeem.ts";
import { registerApp } from "../../../src/domain/apps/register.ts";
import { parseScopes } from "../../../src/domain/apps/scopes.ts";
import { keepToken, newToken } from "../../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId } from "../../../src/domain/ids.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import type { World } from "../world/world.ts";

const app = parseClientId("a".repeat(32)) as ClientId;

/** An app that somebody uses; or one to which nobody has signed in. */
export class ApiClient {
  readonly #world: Pick<World, "ctx" | "app">;
  readonly token: string | undefined;

  constructor(world: Pick<World, "ctx" | "app">, token?: string) {
    this.#world = world;
    this.token = token;
  }

  /** With a token as authorizing makes one. */
  static async of(
    world: Pick<World, "ctx" | "app">,
    name: string,
    scopes = "read write follow",
  ): Promise<ApiClient> {
    const { id: user } = await getUserByName(world.ctx, name);
    const { token, location } = newToken({ app, user });
    await keepToken(world.ctx, location, { app, scopes: parseScopes(scopes) ?? new Set() });
    return new ApiClient(world, token);
  }

  /** An app with a token of its own, which acts for nobody. */
  static async app(world: World, scopes = "read write"): Promise<ApiClient> {
    const registered = await registerApp(world.ctx, {
      name: "Test app",
      redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
      scopes,
      website: "",
    });
    const { token } = await grantToApp(world.ctx, registered.app, scopes);
    return new ApiClient(world, token);
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

  /** Without a body, which is for the test to fill. */
  send(method: "post" | "patch", path: string): Test {
    return this.#signed(request(this.#world.app)[method](path));
  }

  #signed(test: Test): Test {
    return this.token === undefined ? test : test.set("Authorization", `Bearer ${this.token}`);
  }
}
