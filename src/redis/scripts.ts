import { readFileSync } from "node:fs";
import type { Result } from "ioredis";
import type { RedisClient } from "./redis-client.ts";

/** The scripts in ./scripts, as commands of the client. Each file describes its arguments and result. */
const scripts = {
  claimCommit: "claim-commit.lua",
  releaseClaim: "release-claim.lua",
  createHash: "create-hash.lua",
  draftHash: "draft-hash.lua",
  commitTweet: "commit-tweet.lua",
  takeIds: "take-ids.lua",
  keepMember: "keep-member.lua",
  deliver: "deliver.lua",
  fanOut: "fan-out.lua",
  fillHome: "fill-home.lua",
  readHome: "read-home.lua",
  buryTweet: "bury-tweet.lua",
  setField: "set-field.lua",
  updateIf: "update-if.lua",
  replaceHash: "replace-hash.lua",
  addField: "add-field.lua",
  clearField: "clear-field.lua",
  clearFields: "clear-fields.lua",
  raiseField: "raise-field.lua",
  claimReport: "claim-report.lua",
  keepReport: "keep-report.lua",
  recordAct: "record-act.lua",
  addUntil: "add-until.lua",
  addAnyway: "add-anyway.lua",
  addSession: "add-session.lua",
  serverTime: "server-time.lua",
} as const;

/** Results of fill-home.lua. */
export type Filled = "filled" | "absent" | "unfilled";

declare module "ioredis" {
  interface RedisCommander<Context> {
    claimCommit(key: string, claim: string, id: string): Result<number, Context>;
    releaseClaim(key: string, claim: string): Result<number, Context>;
    createHash(key: string, ...fields: (string | number)[]): Result<number, Context>;
    draftHash(key: string, life: number, ...fields: (string | number)[]): Result<number, Context>;
    commitTweet(key: string): Result<number, Context>;
    keepMember(
      key: string,
      score: number | string,
      member: string,
      life: number,
    ): Result<number, Context>;
    takeIds(key: string, known: number, count: number, skipped: number): Result<number, Context>;
    deliver(
      route: string,
      tweet: string,
      stamp: number,
      cap: number,
      keep: number,
      ...homes: string[]
    ): Result<number, Context>;
    fanOut(followers: string, ...args: (string | number)[]): Result<string | null, Context>;
    buryTweet(tweet: string, stamp: number, life: number): Result<number, Context>;
    setField(key: string, ...fields: (string | number)[]): Result<number, Context>;
    updateIf(
      key: string,
      field: string,
      expected: string,
      ...fields: string[]
    ): Result<number, Context>;
    replaceHash(
      key: string,
      field: string,
      life: number,
      ...fields: (string | number)[]
    ): Result<string | null, Context>;
    addField(
      key: string,
      field: string,
      value: string,
      most: number,
    ): Result<string | null, Context>;
    clearField(key: string, field: string, value: string): Result<number, Context>;
    clearFields(key: string, ...pairs: string[]): Result<string[], Context>;
    raiseField(key: string, field: string, value: number): Result<number, Context>;
    claimReport(key: string, subject: string, stamp: number, most: number): Result<number, Context>;
    keepReport(
      key: string,
      reporter: string,
      report: string,
      most: number,
    ): Result<number, Context>;
    recordAct(
      stream: string,
      act: string,
      subject: string,
      kept: number,
      compared: number,
      ...fields: string[]
    ): Result<number, Context>;
    addUntil(
      key: string,
      now: number,
      member: string,
      until: string,
      limit: number,
    ): Result<number, Context>;
    addAnyway(key: string, ...args: (string | number)[]): Result<number, Context>;
    addSession(key: string, session: string, life: number, most: number): Result<string[], Context>;
    serverTime(key: string): Result<number, Context>;
    readHome(
      home: string,
      top: string,
      count: number,
      life: number,
      bottom: number,
      direction: "up" | "down",
    ): Result<string | null, Context>;
    fillHome(
      home: string,
      cap: number,
      keep: number,
      whose: "all" | "some",
      floor: number,
      ...entries: (string | number)[]
    ): Result<Filled, Context>;
  }
}

export function isScript(name: string): name is keyof typeof scripts {
  return name in scripts;
}

export function defineScripts<Client extends RedisClient>(client: Client): Client {
  for (const [name, file] of Object.entries(scripts)) {
    const lua = readFileSync(new URL(`scripts/${file}`, import.meta.url), "utf8");
    client.defineCommand(name, { numberOfKeys: 1, lua });
  }
  return client;
}
