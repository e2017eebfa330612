import { readdirSync, readFileSync } from "node:fs";
import { RateLimiterRedis } from "rate-limiter-flexible";
import type { ClientContext, Cluster, Redis, Result } from "ioredis";

/** One Redis or a cluster, with our scripts as commands; most code works with both. */
export type RedisClient = Redis | Cluster;

/** Results of fill-home.lua. */
export type Filled = "filled" | "absent" | "unfilled";

type Values = (string | number)[];
type Count<Context extends ClientContext> = Result<number, Context>;
type Text<Context extends ClientContext> = Result<string | null, Context>;

declare module "ioredis" {
  interface RedisCommander<Context> {
    claimCommit(key: string, claim: string, id: string): Count<Context>;
    holdClaim(key: string, token: string, seconds: number): Count<Context>;
    releaseClaim(key: string, claim: string): Count<Context>;
    createHash(key: string, life: number, ...fields: Values): Count<Context>;
    commitTweet(key: string): Count<Context>;
    keepMember(key: string, score: number | "+inf", member: string, life: number): Count<Context>;
    takeIds(key: string, known: number, count: number, skipped: number): Count<Context>;
    deliver(
      route: string,
      tweet: string,
      stamp: number,
      cap: number,
      keep: number,
      homes: Buffer,
    ): Count<Context>;
    listFollowersBuffer(
      followers: string,
      after: number,
      count: number,
    ): Result<[ids: Buffer, last: Buffer | null], Context>;
    fanOut(followers: string, ...args: Values): Text<Context>;
    editTweet(
      tweet: string,
      expected: string,
      most: number,
      bytes: number,
      version: string,
      ...fields: Values
    ): Count<Context>;
    buryTweet(tweet: string, stamp: number, life: number): Count<Context>;
    setVote(votes: string, user: string, choices: string): Count<Context>;
    setField(key: string, ...fields: Values): Count<Context>;
    updateIf(key: string, field: string, expected: string, ...fields: string[]): Count<Context>;
    updateAnyway(key: string, field: string, expected: string, ...fields: string[]): Count<Context>;
    updateUser(key: string, compared: number, ...pairs: string[]): Count<Context>;
    replaceText(key: string, expected: string, next: string, life: number): Count<Context>;
    replaceHash(key: string, field: string, life: number, ...fields: Values): Text<Context>;
    addField(key: string, field: string, value: string, most: number): Text<Context>;
    addFieldAnyway(key: string, field: string, value: string, most: number): Text<Context>;
    countBytes(key: string, most: number, ...pairs: Values): Count<Context>;
    clearFields(key: string, ...pairs: string[]): Result<string[], Context>;
    raiseField(key: string, field: string, value: number): Count<Context>;
    markConversation(
      key: string,
      conversation: string,
      how: "read" | "written" | "joined" | "left",
      stamp: number,
    ): Count<Context>;
    keepReport(key: string, reporter: string, report: string, most: number): Count<Context>;
    setRole(key: string, user: string, role: string, least: number): Count<Context>;
    recordEntry(
      stream: string,
      form: string,
      subject: string,
      kept: number,
      compared: number,
      ...fields: string[]
    ): Count<Context>;
    addBounded(
      key: string,
      passed: number,
      member: string,
      score: number | "+inf",
      most: number,
    ): Count<Context>;
    addAnyway(key: string, ...args: Values): Count<Context>;
    addBeside(key: string, other: string, score: number, id: string, most: number): Count<Context>;
    addApart(key: string, score: number, member: string, most: number): Count<Context>;
    addSession(key: string, session: string, life: number, most: number): Result<string[], Context>;
    readAuthors(
      route: string,
      most: number,
      direction: "up" | "down",
      bottom: string,
      top: string,
      ...lists: string[]
    ): Result<string, Context>;
    serverTime(key: string): Count<Context>;
    readHome(
      home: string,
      top: string,
      count: number,
      life: number,
      bottom: number,
      direction: "up" | "down",
    ): Text<Context>;
    fillHome(
      home: string,
      cap: number,
      keep: number,
      whose: "all" | "some",
      floor: number,
      ...entries: Values
    ): Result<Filled, Context>;
  }
}

const folder = new URL("scripts/", import.meta.url);

/** The Lua code of each command. Each file describes its arguments and result. */
const scripts = new Map(
  readdirSync(folder).map((file) => [commandOf(file), readFileSync(new URL(file, folder), "utf8")]),
);
/** Commands for a full Redis, by name, each with the script of another: they end or protect something, and add little. */
const evenIfFull = { updateAnyway: "updateIf", addFieldAnyway: "addField" };
for (const [anyway, name] of Object.entries(evenIfFull))
  scripts.set(anyway, `#!lua flags=allow-oom\n${scripts.get(name) ?? ""}`);

/** The command of take-ids.lua is `takeIds`. */
function commandOf(file: string): string {
  return file.replace(".lua", "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Defines all scripts before the first command: a pipeline that is already open would not know them. */
export function defineScripts<Client extends RedisClient>(client: Client): Client {
  defineSome(client, new Set(scripts.keys()));
  // The library of the limits defines its script whenever a limit is made.
  void new RateLimiterRedis({ storeClient: client, points: 1, duration: 1 });
  return client;
}

/** The scripts among these commands: the fewer, the better, as each pipeline copies all scripts of its client. */
export function defineSome(client: RedisClient, names: ReadonlySet<string>): void {
  for (const [name, lua] of scripts)
    if (names.has(name)) client.defineCommand(name, { numberOfKeys: 1, lua });
}

export function isScript(name: string): boolean {
  return scripts.has(name);
}

/** Calls a script that is known by its name only. */
export async function callScript(client: RedisClient, name: string, args: Values) {
  const commands = client as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  return await commands[name]?.(...args);
}
