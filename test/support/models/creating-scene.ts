import type { Response, Test } from "supertest";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { listInvitations } from "../../../src/domain/community/invitations.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { conversationAmong } from "../../../src/domain/messages/people.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { statusId } from "../../../src/web/api/ids.ts";
import { ApiClient } from "../actors/api-client.ts";
import { PushDevice } from "../actors/push-device.ts";
import type { Visitor } from "../actors/visitor.ts";
import { picture } from "../data/pictures.ts";
import { findKeys } from "../world/redis-nodes.ts";
import { fill } from "../world/routes.ts";
import type { World } from "../world/world.ts";
import type { Door } from "./creating-doors.ts";

let scenes = 0;
const device = new PushDevice("https://push.example.com/");
const size = { width: 24, height: 24 };
const pictures = {
  $red: await picture("png", size),
  $green: await picture("webp", size),
  $blue: await picture("jpeg", size),
};

/** A new user, with what forms can be about. */
export class Scene {
  readonly own: string;
  readonly tweet: string;
  readonly otherName: string;
  readonly ownStatus: string;
  readonly filter: string;
  readonly people: string;
  readonly #world: World;
  readonly #user: UserId;
  readonly #visitor: Visitor;
  readonly #client: ApiClient;
  readonly #app: ApiClient;
  readonly #values: ReadonlyMap<string, string>;

  private constructor(
    world: World,
    [user, visitor]: [UserId, Visitor],
    [client, app]: [ApiClient, ApiClient],
    values: Record<string, string>,
  ) {
    this.#world = world;
    this.#user = user;
    this.#visitor = visitor;
    this.#client = client;
    this.#app = app;
    // A typed text may be the name of a method of all objects.
    this.#values = new Map(Object.entries(values));
    const value = (name: string) => values[name] ?? "";
    this.own = value("$own");
    this.tweet = value("$tweet");
    this.otherName = value("$otherName");
    this.ownStatus = value("$ownStatus");
    this.filter = value("$filter");
    this.people = value("$people");
  }

  static async begin(world: World): Promise<Scene> {
    const { ctx } = world;
    scenes += 1;
    const [name, $otherName] = [`maker${scenes}`, `other${scenes}`];
    const visitor = await world.newcomer(name);
    await world.newcomer($otherName);
    const { id: user } = await getUserByName(ctx, name);
    const { id: $otherAccount } = await getUserByName(ctx, $otherName);
    const $own = await postTweet(ctx, user, { text: "as it was" });
    const $tweet = await postTweet(ctx, $otherAccount, { text: "one to answer" });
    const $other = await postTweet(ctx, $otherAccount, { text: "another one" });
    const status = async (id: typeof $own) => statusId(await getTweet(ctx, id));
    const client = await ApiClient.of(world, name, "read write follow push");
    const filter = await client
      .post("/api/v2/filters", { title: "a filter", context: ["home"] })
      .expect(200);
    return new Scene(world, [user, visitor], [client, await ApiClient.app(world)], {
      $own,
      $tweet,
      $other,
      $otherName,
      $otherAccount,
      $people: conversationAmong([user, $otherAccount]),
      $ownStatus: await status($own),
      $status: await status($tweet),
      $otherStatus: await status($other),
      $filter: filter.body.id as string,
      $p256dh: device.keys.p256dh,
      $auth: device.keys.auth,
    });
  }

  /** Sends a form of a page, or a request of an app. */
  async send(route: string, door: Door, typed: Record<string, string>, nonce: string) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = fill(pattern, door.at?.(this) ?? {});
    const isForApps = path.startsWith("/api/");
    const client = door.stranger === true ? this.#app : this.#client;
    const browser = door.stranger === true ? this.#world.visitor() : this.#visitor;
    const test = isForApps
      ? client.send(method.toLowerCase() as "post", path).set("Idempotency-Key", nonce)
      : browser.agent.post(path);
    const fields = { ...door.constant, ...typed, ...(!isForApps && { nonce }) };
    return await this.#filled(test, door, fields);
  }

  /** Names end in "~", the number of the scene. */
  #filled(test: Test, { file }: Door, fields: Record<string, string>): Promise<Response> | Test {
    const typed = Object.entries(fields).filter(([, value]) => value !== "");
    const values = typed.map(
      ([name, value]) =>
        [name, this.#values.get(value) ?? value.replace(/~$/, String(scenes))] as const,
    );
    if (file === undefined) return test.type("form").send(Object.fromEntries(values));
    for (const [name, value] of values)
      if (name === file) test.attach(name, pictures[value as "$red"], "picture");
      else test.field(name, value);
    return test;
  }

  async listed(path: string): Promise<number> {
    return ((await this.#client.get(path).expect(200)).body as unknown[]).length;
  }

  tweets = () => this.#world.ctx.redis.zcard(keys.userTimeline(this.#user));
  messages = () => this.#world.ctx.redis.zcard(keys.sentMessages(this.#user));
  accounts = async () => (await findKeys(this.#world.ctx.redis, keys.username("*"))).length;
  edits = async () => Number(await this.#world.ctx.redis.hget(`tweet:${this.own}`, "edits")) || 0;
  invitations = async () => (await listInvitations(this.#world.ctx, this.#user)).length;
  devices = async () => await this.#world.ctx.redis.hlen(keys.push(this.#user));

  async uploads(): Promise<number> {
    const fields = await this.#world.ctx.redis.hkeys(keys.uploads(this.#user));
    return fields.filter((field) => !field.includes(":")).length;
  }

  async reports(): Promise<number> {
    const { redis } = this.#world.ctx;
    const all = await findKeys(redis, keys.reportsOf("*"));
    const counts = await Promise.all(all.map((key) => redis.hlen(key)));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
