import type { RequestListener } from "node:http";
import request, { type Test } from "supertest";
import { issueAppToken } from "../../../src/domain/apps/issue-token.ts";
import { registerApp } from "../../../src/domain/apps/store.ts";
import { parseScopes } from "../../../src/domain/apps/scopes.ts";
import { storeToken, newToken } from "../../../src/domain/apps/tokens.ts";
import { type ClientId, parseClientId } from "../../../src/domain/ids.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import type { World } from "../world/world.ts";

const app = parseClientId("a".repeat(32)) as ClientId;

/** A client of the API, with a token or without. */
export class ApiClient {
  readonly #world: Pick<World, "ctx" | "app">;
  readonly token: string | undefined;

  constructor(world: Pick<World, "ctx" | "app">, token?: string) {
    this.#world = world;
    this.token = token;
  }

  /** With a token as the authorization creates it. */
  static async of(
    world: Pick<World, "ctx" | "app">,
    name: string,
    scopes = "read write follow",
  ): Promise<ApiClient> {
    const { id: user, generation } = await getUserByName(world.ctx, name);
    const { token, location } = newToken({ app, user });
    const granted = parseScopes(scopes) ?? new Set();
    await storeToken(world.ctx, location, { app, scopes: granted, generation });
    return new ApiClient(world, token);
  }

  /** An app with a token of its own, without a user. */
  static async app(world: World, scopes = "read write"): Promise<ApiClient> {
    const registered = await registerApp(world.ctx, {
      name: "Test app",
      redirectUris: ["urn:ietf:wg:oauth:2.0:oob"],
      scopes,
      website: "",
    });
    const { token } = await issueAppToken(world.ctx, registered.app, scopes);
    return new ApiClient(world, token);
  }

  get(path: string): Test {
    return this.send("get", path);
  }

  post(path: string, fields: object = {}): Test {
    return this.send("post", path).send(fields);
  }

  delete(path: string): Test {
    return this.send("delete", path);
  }

  /** Without a body; the test fills it. */
  send(method: "get" | "post" | "put" | "patch" | "delete", path: string): Test {
    return this.#signed(request(this.#site)[method](path));
  }

  /** Answers show what a test has written directly or by another client, however slow the machine is. */
  readonly #site: RequestListener = (req, res) => {
    const { ctx } = this.#world;
    void ctx.memory.settled().then(() => this.#world.app(req, res) as unknown);
  };

  #signed(test: Test): Test {
    return this.token === undefined ? test : test.set("Authorization", `Bearer ${this.token}`);
  }
}
