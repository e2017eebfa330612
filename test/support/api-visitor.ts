import request, { type Test } from "supertest";
<<<<<<< HEAD
import { grantToApp } from "../../src/domain/apps/redeem.ts";
import { registerApp } from "../../src/domain/apps/register.ts";
import { parseScopes, type Scopes } from "../../src/domain/apps/scopes.ts";
import { type App, keepApp } from "../../src/domain/apps/store.ts";
import { keepToken, newToken } from "../../src/domain/apps/tokens.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { World } from "./world.ts";

const everything = ["read", "write", "follow", "push"];
=======
import { parseScopes } from "../../src/domain/apps/scopes.ts";
import { keepToken, newToken } from "../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import type { World } from "./world.ts";

const app = parseClientId("a".repeat(32)) as ClientId;
>>>>>>> api-statuses

/** An app that somebody uses; or one to which nobody has signed in. */
export class ApiVisitor {
  readonly #world: World;
  readonly #token: string | undefined;

  constructor(world: World, token?: string) {
    this.#world = world;
    this.#token = token;
  }

<<<<<<< HEAD
  /** Somebody who has let an app in for `scopes`. */
  static async of(world: World, name: string, scopes = everything): Promise<ApiVisitor> {
    const { id } = await getUserByName(world.ctx, name);
    const { app } = await someApp(world);
    const { token, place } = newToken({ app: app.client, user: id });
    await keepApp(world.ctx, app.client);
    await keepToken(world.ctx, place, { app: app.client, scopes: toScopes(scopes) });
    return new ApiVisitor(world, token);
  }

  /** An app with a token of its own, which acts for nobody. */
  static async app(world: World, scopes = everything): Promise<ApiVisitor> {
    const { app } = await someApp(world);
    const { token } = await grantToApp(world.ctx, app, scopes.join(" "));
=======
  /** With a token as authorizing makes one. */
  static async of(world: World, name: string, scopes = "read write follow"): Promise<ApiVisitor> {
    const { id: user } = await getUserByName(world.ctx, name);
    const { token, place } = newToken({ app, user });
    await keepToken(world.ctx, place, { app, scopes: parseScopes(scopes) ?? new Set() });
>>>>>>> api-statuses
    return new ApiVisitor(world, token);
  }

  get(path: string): Test {
    return this.#signed(request(this.#world.app).get(path));
  }

  post(path: string, fields: object = {}): Test {
    return this.#signed(request(this.#world.app).post(path)).send(fields);
  }

  patch(path: string, fields: object = {}): Test {
    return this.#signed(request(this.#world.app).patch(path)).send(fields);
  }

  delete(path: string): Test {
    return this.#signed(request(this.#world.app).delete(path));
  }

  /** A request without a body, to be filled by the test. */
  send(method: "post" | "patch" | "put", path: string): Test {
    return this.#signed(request(this.#world.app)[method](path));
  }

  #signed(test: Test): Test {
    return this.#token === undefined ? test : test.set("Authorization", `Bearer ${this.#token}`);
  }
}

async function someApp({ ctx }: World): Promise<{ app: App }> {
  return await registerApp(ctx, {
    name: "Test app",
    redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
    scopes: everything.join(" "),
    website: "",
  });
}

function toScopes(words: string[]): Scopes {
  const scopes = parseScopes(words.join(" "));
  if (scopes === undefined) throw new Error(`no scopes: ${words.join(" ")}`);
  return scopes;
}
